"""Numbers in addresses: row ids and page sizes, bounded so that no number is too large for the database."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

RowId = Annotated[int, Field(ge=1, le=2**63 - 1)]
RowLimit = Annotated[int, Field(ge=1, le=1000)]
RowOffset = Annotated[int, Field(ge=0, le=10**9)]
