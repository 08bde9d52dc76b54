"""Citations: where a snippet stands, as `path#L12-L18`, and when it is shown."""

from __future__ import annotations

from typing import Literal

from search.errors import BadQuery

CitationMode = Literal["auto", "on", "off"]
_SHARED_CHATS = frozenset({"group", "channel"})


def citation(path: str, start_line: int, end_line: int) -> str:
    """`path#L12` for one line, `path#L12-L18` for several."""
    return f"{path}#L{start_line}" if start_line == end_line else f"{path}#L{start_line}-L{end_line}"


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
            raise BadQuery(f"citations mode {mode!r} is unknown", hint="Use auto, on or off.")


def with_source(snippet: str, cited: str) -> str:
    """The snippet with its source line, a blank line between them."""
    return f"{snippet}\n\nSource: {cited}"
