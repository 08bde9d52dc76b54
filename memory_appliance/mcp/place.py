"""What the names of resources say: a cursor's place in the list, and an address's agent and path."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from agents.core.errors import Invalid, NotFound
from agents.models.agent import SLUG_PATTERN

SCHEME = "memory"
_CURSOR = re.compile(r"([a-z0-9-]{1,63}):(\d{1,9})\Z")


def cursor_place(cursor: str | None) -> tuple[str, int]:
    """The agent and the offset from which the list goes on. Raises `Invalid`."""
    if cursor is None:
        return "", 0
    known = _CURSOR.match(cursor)
    if known is None:
        raise Invalid("The cursor is not one of ours.", hint="Start again without it.", field="cursor")
    return known[1], int(known[2])


def uri_parts(uri: str) -> tuple[str, str]:
    """The agent and the path. Raises `NotFound`."""
    # By hand where urlsplit would guess: `#` and `?` belong to the path unless they are escaped, as they should be.
    try:
        split = urlsplit(uri)
    except ValueError:
        split = urlsplit("")
    rest = uri.partition("://")[2].partition("/")[2]
    if split.scheme != SCHEME or not re.match(SLUG_PATTERN, split.netloc) or not rest:
        raise NotFound("There is no such resource.", hint=f"Addresses look like {SCHEME}://<agent>/MEMORY.md.")
    return split.netloc, unquote(rest)
