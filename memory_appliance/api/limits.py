"""Values in addresses: row ids, page sizes and filters, bounded to what a database can take."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

RowId = Annotated[int, Field(ge=1, le=2**63 - 1)]
RowLimit = Annotated[int, Field(ge=1, le=1000)]
RowOffset = Annotated[int, Field(ge=0, le=10**9)]
SlugFilter = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,63}$")]
ActionFilter = Annotated[str, Field(pattern=r"^[a-z_.]{1,60}$")]
