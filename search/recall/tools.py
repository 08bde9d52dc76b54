"""Toolbox: the only two things a recall agent can do, `memory_search` and `memory_get`, with checked arguments.

Any other name or argument is refused and recorded; there is no way around it, because everything the deep lane reads
comes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from search.get import GetResult
from search.outcome import SearchOutcome

TOOLS = ("memory_search", "memory_get")


class SearchArguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, Field(min_length=1, max_length=480)]
    maxResults: Annotated[int, Field(ge=1, le=10)] = 6  # noqa: N815 - the tool's own name


class GetArguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    path: Annotated[str, Field(min_length=1, max_length=1024)]
    from_line: Annotated[int, Field(ge=1, le=10**9, alias="from")] = 1
    lines: Annotated[int, Field(ge=1, le=120)] = 40


class ToolRefused(Exception):
    """The call is not one of the two, or its arguments are not theirs."""


@dataclass(slots=True)
class Toolbox:
    """One turn's tools. `refused` keeps what was tried, by name and reason and never by content."""

    search: Callable[[SearchArguments], SearchOutcome]
    get: Callable[[GetArguments], GetResult]
    refused: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)

    def call(self, name: object, arguments: Mapping[str, Any]) -> SearchOutcome | GetResult:
        """Raises `ToolRefused`."""
        known: Literal["memory_search", "memory_get"]
        try:
            if name == "memory_search":
                known = "memory_search"
                asked: SearchArguments | GetArguments = SearchArguments.model_validate(arguments)
            elif name == "memory_get":
                known = "memory_get"
                asked = GetArguments.model_validate(arguments)
            else:
                raise self._refuse(str(name)[:60], "not a tool of recall")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))[:60]
            raise self._refuse(known, f"{place}: {first['msg']}") from error
        self.used.append(known)
        return self.search(asked) if isinstance(asked, SearchArguments) else self.get(asked)

    def _refuse(self, name: str, why: str) -> ToolRefused:
        self.refused.append(f"{name} ({why})")
        return ToolRefused(self.refused[-1])
