"""rewrite(): MEMORY.md with the promoted entries: superseded ones marked, the oldest machine-made sections dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from agents.workspace.duplicates import find_duplicate
from search.documents.annotations import strip_annotations
from search.documents.terms import pieces

BUDGET_CHARS = 10_000
MAX_LOSS = 0.25
HEADING = "## Promoted From Short-Term Memory"
_SECTION = re.compile(r"^#{1,2}\s")
_SUPERSEDED = "<!-- status: superseded"
_FROM = re.compile(r" <!-- from: [^<>]* -->")
"""Where a promoted entry stood: no part of what it says."""
_NUMBER = re.compile(r"\d+")
_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Entry:
    """A line to promote. `anchor` is where it stands: memory/2026-11-20.md#L3."""

    text: str
    anchor: str
    importance: int
    triggers: tuple[str, ...]

    @property
    def beginning(self) -> str:
        """Of its line in MEMORY.md: what stays the same from one round to the next."""
        return f"- {self.text} <!-- from: {self.anchor} -->"

    def line(self) -> str:
        comments = [f"<!-- importance: {self.importance} -->"]
        if self.triggers:
            comments.append(f"<!-- trigger: {', '.join(self.triggers)} -->")
        return " ".join([self.beginning, *comments])


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`lost` of the `prior` entries are in no line of the new text. `fits` is False beyond the budget."""

    text: str
    promoted: tuple[Entry, ...]
    superseded: tuple[str, ...]
    prior: int
    lost: int
    fits: bool

    @property
    def acceptable(self) -> bool:
        return self.fits and self.lost <= MAX_LOSS * self.prior


def rewrite(text: str, entries: Sequence[Entry], *, day: date, budget: int) -> Rewrite:
    """A person's own lines stay as they are, except for a mark behind what a newer entry contradicts in its numbers."""
    lines = text.rstrip("\n").split("\n") if text.strip() else ["# Memory"]
    prior = _entries(lines)
    said = [_FROM.sub("", line) for line in lines]
    fresh = [entry for entry in entries if find_duplicate(said, [f"- {entry.text}"]) is None]
    superseded = []
    for place, line in enumerate(lines):
        if _SUPERSEDED not in line and line.startswith("- ") and any(_contradicts(entry.text, line) for entry in fresh):
            superseded.append(line)
            lines[place] = f"{line} {_SUPERSEDED} {day.isoformat()} -->"
    section = ["", f"{HEADING} ({day.isoformat()})", "", *(entry.line() for entry in fresh)] if fresh else []
    while len("\n".join([*lines, *section])) + 1 > budget and (oldest := _oldest_section(lines)) is not None:
        del lines[oldest[0] : oldest[1]]
    result = [*lines, *section]
    left = {_bare(line) for line in result}
    lost = sum(_bare(line) not in left for line in prior)
    whole = "\n".join(result).rstrip("\n") + "\n"
    return Rewrite(whole, tuple(fresh), tuple(superseded), len(prior), lost, len(whole) <= max(budget, len(text)))


def _entries(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.startswith(("- ", "* ", "+ "))]


def _bare(line: str) -> str:
    return line.split(f" {_SUPERSEDED}", maxsplit=1)[0]


def _oldest_section(lines: Sequence[str]) -> tuple[int, int] | None:
    """First and last-but-one line of the first section that was made by an earlier promotion."""
    for start, line in enumerate(lines):
        if line.startswith(HEADING):
            end = next((at for at in range(start + 1, len(lines)) if _SECTION.match(lines[at])), len(lines))
            return start, end
    return None


def _contradicts(new: str, old_line: str) -> bool:
    """Nearly the same words, and other numbers."""
    stripped, _ = strip_annotations([_FROM.sub("", old_line)], curated=True)
    old = stripped[0].removeprefix("- ")
    if not _NUMBER.search(new) or set(_NUMBER.findall(new)) == set(_NUMBER.findall(old)):
        return False
    if not _NUMBER.search(old):
        return False
    one, other = (set(pieces(_NUMBER.sub(" ", text))) for text in (new, old))
    return bool(one | other) and len(one & other) >= _ALIKE * len(one | other)
