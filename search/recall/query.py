"""What to search for: the user's own words, without code, quoted blocks, metadata and what recall itself put there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.terms import CJK_RUN
from search.documents.text import safe_cut
from search.marks import without_injected
from search.recall.choices import QueryMode

SHORT = 12
"""A message that weighs less (a CJK character weighs two) is searched together with the turn before it."""
EARLIER_CHARS = 120
QUERY_CHARS = 480

RECENT_USER, RECENT_ASSISTANT = 2, 1
USER_CHARS, ASSISTANT_CHARS = 220, 180
FULL_CHARS = 12_000

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_UNTRUSTED = re.compile(
    r"<<<\s*EXTERNAL_UNTRUSTED_CONTENT.*?(?:<<<\s*END_EXTERNAL_UNTRUSTED_CONTENT[^>]{0,500}>>>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_UNTRUSTED_TAGS = re.compile(r"<(untrusted[\w-]*)\b[^>]{0,500}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_METADATA = re.compile(
    r"^[ \t]*+(?:\[(?:message_?id|from|to|channel|chat|media|timestamp|thread|reply)\b[^\]\n]*\]"
    r"|(?:conversation info|sender|chat history|forwarded message|thread starter)\b[^\n]*\(untrusted[^\n]*"
    r"|(?:🧩|🔎)?[ \t]*active[ -]memory(?: debug)?:[^\n]*|system:[^\n]*)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    role: str
    text: str


def clean(text: str) -> str:
    """What the person said, white space collapsed."""
    for pattern in (_UNTRUSTED, _UNTRUSTED_TAGS):
        text = pattern.sub("\n", text)
    text = without_injected(text)
    text = _FENCE.sub("\n", text)
    return " ".join(_METADATA.sub("", text).split())


def search_query(message: str, history: Sequence[HistoryTurn]) -> str:
    """The latest message; a short one with the end of the user's turn before it. At most 480 characters."""
    query = clean(message)
    if query and _weight(query) < SHORT:
        earlier = next((clean(turn.text) for turn in reversed(history) if turn.role == "user"), "")
        if earlier and earlier != query:
            query = f"{cut(earlier, EARLIER_CHARS)} {query}"
    return cut(query, QUERY_CHARS)


def conversation(message: str, history: Sequence[HistoryTurn], mode: QueryMode) -> str:
    """What a generator is shown: the message alone, with the recent turns, or with all of them."""
    latest = clean(message)
    if mode == "message":
        return latest
    if mode == "full":
        said = [f"{turn.role}: {clean(turn.text)}" for turn in history if clean(turn.text)]
        earlier = "\n".join(said)[-FULL_CHARS:]
    else:
        earlier = "\n".join(_recent(history))
    return f"Earlier:\n{earlier}\n\nLatest message:\n{latest}" if earlier else latest


def cut(text: str, limit: int, *, mark: str = "") -> str:
    """At most `limit` characters, ended at a word where there is one near, never inside a visible character."""
    if len(text) <= limit:
        return text
    end = safe_cut(text, limit - len(mark))
    space = text.rfind(" ", end * 3 // 4, end + 1)
    return text[: space if space > 0 else end].rstrip() + mark


def _recent(history: Sequence[HistoryTurn]) -> list[str]:
    left = {"user": RECENT_USER, "assistant": RECENT_ASSISTANT}
    chars = {"user": USER_CHARS, "assistant": ASSISTANT_CHARS}
    lines: list[str] = []
    for turn in reversed(history):
        text = clean(turn.text)
        if text and left.get(turn.role, 0) > 0:
            left[turn.role] -= 1
            lines.append(f"{turn.role}: {cut(text, chars[turn.role])}")
    return lines[::-1]


def _weight(text: str) -> int:
    return len(text) + sum(len(run) for run in CJK_RUN.findall(text))
