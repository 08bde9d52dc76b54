"""Transcripts: a line of JSONL to a message, whoever wrote it, and messages to Markdown that can be searched.

Read are the appliance's own lines, OpenClaw's (`{"type": "message", "message": {…}}`) and Claude Code's
(`{"type": "user", "uuid": …, "message": {…}}`). What is none of these is kept as it is and not shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from search.documents.secrets import mask_secrets
from search.marks import without_injected

WRAP = 800
SPEAKERS = {"user": "User", "assistant": "Assistant"}
OTHER = "other"
"""Role of tool traffic, of what a gateway put into the conversation itself, and of lines that are not known."""

_OWN = frozenset({"id", "role", "text", "at", "raw"})
_COMMAND = re.compile(r"/[a-z][\w-]*(?:\s|\Z)")
_PLAIN = re.compile(r"[ !#-\[\]-~]")
_SILENT = re.compile(r"\A\W*(?:NO_REPLY|HEARTBEAT_OK)\b")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `id` and `at` are empty when it came with none; `raw` is the line that it was read from."""

    role: str
    text: str = ""
    id: str = ""
    at: str = ""
    raw: str = ""

    def line(self) -> str:
        """The JSON line that it is stored as; `raw` only where it holds more than the message."""
        fields = {"id": self.id, "role": self.role, "text": self.text, "at": self.at, "raw": self.raw}
        return json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class MappedLines:
    """`first` to `last` are 1-based lines of the Markdown that show message number `message` (0-based) of the part."""

    first: int
    last: int
    message: int


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    lines: tuple[MappedLines, ...]


def read_turn(line: str) -> Turn:
    """A line of JSONL; one that is not understood becomes a turn of role `other` with the line as its `raw`."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return Turn(OTHER, "", raw=line)
    if not isinstance(entry, dict):
        return Turn(OTHER, "", raw=line)
    if entry.keys() <= _OWN and entry.get("role") in (*SPEAKERS, OTHER):
        return Turn(**{name: str(value) for name, value in entry.items()})
    inner = entry.get("message")
    message = inner if isinstance(inner, dict) else entry
    content = message["content"] if "content" in message else message.get("text")
    text = _text_of(content)
    aside = any(entry.get(sign) for sign in ("isMeta", "isSidechain", "isCompactSummary"))
    shown = message.get("role") in SPEAKERS and text is not None and not aside
    return Turn(
        role=message["role"] if shown else OTHER,
        text=text or "" if shown else "",
        id=_first_text(entry, "uuid", "id") or _first_text(message, "id"),
        at=_first_text(entry, "at", "timestamp") or _first_text(message, "at", "timestamp"),
        raw="" if shown and _is_text(content) else line,
    )


def spoken(turn: Turn) -> str:
    """What the speaker said: without injected blocks, commands and silent replies; "" when nothing is left."""
    if turn.role not in SPEAKERS:
        return ""
    text = without_injected(turn.text).strip()
    if _SILENT.match(text) or (turn.role == "user" and _COMMAND.match(text)):
        return ""
    return text


def render(turns: Sequence[Turn], *, session: str, closed: bool, title: str) -> Rendered:
    """One part of a transcript as Markdown: clean `User:` and `Assistant:` lines, and where each of them comes from."""
    out = [
        "---",
        f"title: {_quoted(title)}",
        f"session: {_quoted(named(session, closed))}",
        "---",
        "",
    ]
    lines: list[MappedLines] = []
    for number, turn in enumerate(turns):
        said = one_line(mask_secrets(spoken(turn)))
        if not said:
            continue
        wrapped = wrap(f"{SPEAKERS[turn.role]}: {said}")
        lines.append(MappedLines(len(out) + 1, len(out) + len(wrapped), number))
        out += [*wrapped, ""]
    return Rendered("\n".join(out).rstrip("\n") + "\n", tuple(lines))


_CLOSED = "\tclosed"
"""No session key holds a tab: a chat of such a key is of no known type."""


def named(session: str, closed: bool) -> str:
    """The session as a transcript's front matter names it; `closed` once the model has it before its eyes no more."""
    return session + _CLOSED if closed else session


def session_of(name: str) -> tuple[str, bool]:
    """The session key that a front matter names, and whether that part of the conversation is closed."""
    return name.removesuffix(_CLOSED), name.endswith(_CLOSED)


def _quoted(text: str) -> str:
    """A YAML string in plain ASCII: a front matter that cannot be read would name no session, and hide nothing."""
    return '"' + "".join(sign if _PLAIN.match(sign) else f"\\U{ord(sign):08x}" for sign in text) + '"'


def one_line(text: str) -> str:
    """On one line, so that no text can look like the other speaker's, a heading or a fence."""
    return " ".join(text.split()).replace("<!--", "&lt;!--")


def wrap(text: str) -> list[str]:
    """Lines of at most `WRAP` characters, cut at spaces where there are any."""
    lines = []
    at = 0
    while len(text) - at > WRAP:
        cut = text.rfind(" ", at, at + WRAP)
        cut = cut if cut > at + WRAP // 2 else at + WRAP
        lines.append(text[at:cut].rstrip())
        at = cut
        while text[at : at + 1].isspace():
            at += 1
    return [*lines, text[at:]]


def _text_of(content: Any) -> str | None:
    """The text of a content field; None when it holds tool traffic alone, or is nothing that is known."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in _parts(content) if part.get("type") == "text"]
    said = [text for text in texts if isinstance(text, str)]
    return "\n".join(said) if said else None


def _is_text(content: Any) -> bool:
    return isinstance(content, str) or all(part.get("type") == "text" for part in _parts(content))


def _parts(content: Iterable[Any]) -> Iterable[dict[str, Any]]:
    return (part for part in content if isinstance(part, dict))


def _first_text(entry: dict[str, Any], *names: str) -> str:
    for name in names:
        value = entry.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)[:200]
    return ""
