"""Citations: where a snippet stands, as `path#L12-L18`, with the page of a document, and when it is shown."""

from __future__ import annotations

import re
from typing import Literal

from search.errors import BadQuery
from search.sentences import sentence

CitationMode = Literal["auto", "on", "off"]
_PAGED = re.compile(r"\A(?P<path>.+)#page=(?P<page>\d{1,6})(?:-(?P<last_page>\d{1,6}))?", re.DOTALL)
_CITED = re.compile(
    r"\A(?P<path>.+)#(?:page=\d{1,6}(?:-\d{1,6})?&)?L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?", re.DOTALL
)
_SHARED_CHATS = frozenset({"group", "channel"})


Pages = tuple[int, int]
"""First and last page of a passage, 1-based."""


def citation(path: str, start_line: int, end_line: int, pages: Pages | None = None) -> str:
    """`path#L12` for one line, `path#L12-L18` for several, `path#page=3&L12-L18` where there are pages."""
    lines = f"L{start_line}" if start_line == end_line else f"L{start_line}-L{end_line}"
    return f"{path}#page={page_range(pages)}&{lines}" if pages else f"{path}#{lines}"


def page_range(pages: Pages) -> str:
    """`3`, or `3-4`."""
    return str(pages[0]) if pages[0] == pages[1] else f"{pages[0]}-{pages[1]}"


def cited_lines(path: str) -> tuple[str, int | None, int | None]:
    """The path in `path#L12-L18`, `path#L12`, `path#L12-18` or `path#page=3&L12-L18`, and its first and last line.

    None where none is named.

    A `#` without such lines behind it is part of the name.
    """
    found = _CITED.fullmatch(path)
    if found is None:
        return path, None, None
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return found["path"], max(1, min(first, last)), max(1, first, last)


def cited_pages(path: str) -> tuple[str, Pages | None]:
    """The path in `path#page=3` or `path#page=3-4`, and the pages; None where none is named."""
    found = _PAGED.fullmatch(path)
    if found is None:
        return path, None
    first, last = int(found["page"]), int(found["last_page"] or found["page"])
    return found["path"], (max(1, min(first, last)), max(1, first, last))


def citations_shown(mode: str, chat_type: str) -> bool:
    """Whether hits carry a citation. `auto` shows them unless the chat is a group or a channel.

    Raises `BadQuery` for any mode but `auto`, `on` and `off`.
    """
    match mode:
        case "on":
            return True
        case "off":
            return False
        case "auto":
            return chat_type not in _SHARED_CHATS
        case _:
            raise BadQuery(
                sentence("citations mode {mode!r} is unknown", mode=mode), hint=sentence("Use auto, on or off.")
            )


def with_source(snippet: str, cited: str) -> str:
    """The snippet with its source line, a blank line between them."""
    return f"{snippet}\n\nSource: {cited}"
