"""How much of a file fits: budgets per file and together, and the cut that says what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from agents.core.agent_settings import AgentSettings
from search.documents.text import safe_cut

USER_CHARS = 4_000
"""A lower limit per file lowers this too; nothing raises it."""
LEAST_BUDGET = 64
"""With less room than that a file is left out."""
LEAST_BODY = 16
HEAD_SHARE = 0.75
NEAR_LIMIT = 0.85
DAILY_BYTES = 16_384
SLUGGED_FILES = 4
"""Notes with a name behind the date that one day may bring."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """In characters, except `daily_days`."""

    file: int
    total: int
    daily_days: int
    daily_file: int
    daily_total: int

    @classmethod
    def of(cls, own: AgentSettings) -> Budgets:
        return cls(
            own.context_file_chars,
            own.context_total_chars,
            own.context_daily_days,
            own.context_daily_file_chars,
            own.context_daily_total_chars,
        )

    def of_file(self, path: str) -> int:
        return min(self.file, USER_CHARS) if path.endswith("USER.md") else self.file


@dataclass(frozen=True, slots=True)
class Injected:
    """One file's part in a context. `injected_chars` counts the file's own characters, not the marker."""

    path: str
    total_chars: int
    injected_chars: int
    truncated: bool


def cut_middle(text: str, budget: int, path: str) -> tuple[str, int]:
    """`text`, or its first three quarters and last quarter of `budget` with a marker between; and the characters kept.

    Nothing at all when there is no useful room.
    """
    if len(text) <= budget:
        return text, len(text)
    if budget < LEAST_BUDGET:
        return "", 0
    head = safe_cut(text, int(budget * HEAD_SHARE))
    tail = _from(text, len(text) - (budget - head))
    return f"{text[:head]}\n\n{marker(path, len(text), head + len(text) - tail)}\n\n{text[tail:]}", head + len(
        text
    ) - tail


def cut_end(text: str, budget: int, path: str, unread: int) -> tuple[str, int]:
    """The beginning of `text`, of which `unread` characters more lie on the disk, with a marker where it is cut."""
    if len(text) <= budget and not unread:
        return text, len(text)
    if budget < LEAST_BODY:
        return "", 0
    end = safe_cut(text, budget) if len(text) > budget else len(text)
    return f"{text[:end].rstrip()}\n{marker(path, len(text) + unread, end)}", end


def marker(path: str, total: int, kept: int) -> str:
    return f"[… {total - kept:,} of {total:,} characters of {path} are left out here; memory_get reads them …]"


def _from(text: str, start: int) -> int:
    """The first position ≥ `start` that does not tear a visible character apart."""
    while start < len(text) and safe_cut(text, start) != start:
        start += 1
    return start
