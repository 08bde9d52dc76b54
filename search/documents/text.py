"""What a text weighs in tokens, and which date a path stands for."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

from search.file_types import MARKDOWN
from search.spec import Source

CHARS_PER_TOKEN = 4

_EVERGREEN_ROOTS = frozenset({"MEMORY.md", "USER.md"})
_DATE_SHAPE = re.compile(r"\A([0-9]{4})-([0-9]{2})-([0-9]{2})(?:-.*)?" + re.escape(MARKDOWN), re.DOTALL)
_LONGEST_CLUSTER = 32
_LONGEST_FLAGS = 512
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")
_CLUSTERS = regex.compile(r"\X")

# (first, last, weight); later rows win. Everything else weighs its UTF-16 units: 1, or 2 beyond the BMP.
_WEIGHTS = (
    # Rare in model vocabularies: Jamo, radicals, Extension A, Yi, compatibility ideographs and forms.
    *((first, last, 12) for first, last in ((0x1100, 0x11FF), (0x2E80, 0x2FFF), (0x31A0, 0xA4CF), (0xA960, 0xA97F))),
    *((first, last, 12) for first, last in ((0xD7B0, 0xD7FF), (0xF900, 0xFAFF), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F))),
    (0x1D360, 0x1D37F, 12),
    # Common: kana, CJK punctuation, unified ideographs, Hangul syllables, full-width forms, middle dot.
    *((first, last, 4) for first, last in ((0x3000, 0x319F), (0x4E00, 0x9FA5), (0xAC00, 0xD7AF), (0xFF01, 0xFF60))),
    (0xB7, 0xB7, 4),
    # Width-compatibility forms and the tone marks of Bopomofo.
    *((first, last, 8) for first, last in ((0xFE50, 0xFE6F), (0xFF61, 0xFFDC), (0xFFE0, 0xFFEE))),
    *((first, last, 8) for first, last in ((0x2C7, 0x2C7), (0x2C9, 0x2CB), (0x2D9, 0x2D9), (0x2EA, 0x2EB))),
    # Supplementary ideographs, Tangut, Kana supplements, enclosed ideographic supplement.
    *((first, last, 16) for first, last in ((0x16FE0, 0x18DFF), (0x1AFF0, 0x1B16F), (0x1F200, 0x1F2FF))),
    (0x20000, 0x3FFFF, 16),
)


@cache
def _weight_table() -> NDArray[np.uint8]:
    table = np.ones(0x110000, dtype=np.uint8)
    table[0x10000:] = 2
    for first, last, weight in _WEIGHTS:
        table[first : last + 1] = weight
    return table


def _weights(text: str) -> NDArray[np.uint8]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return _weight_table()[codes]


def weighted_length(text: str) -> int:
    """Length in weighted characters: 1 per UTF-16 unit, more where scripts need more tokens per character."""
    return len(text) if text.isascii() else int(_weights(text).sum(dtype=np.int64))


def estimate_tokens(text: str) -> int:
    """Tokens of a text for any model, roughly and on the safe side."""
    return -(-weighted_length(text) // CHARS_PER_TOKEN)


def line_costs(lines: Sequence[str]) -> list[int]:
    """Weighted length of every line plus 1 for its newline. The lines must hold no newline themselves."""
    if all(map(str.isascii, lines)):
        return [len(line) + 1 for line in lines]
    text = "".join(f"{line}\n" for line in lines)
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1
    starts = np.cumsum(lengths) - lengths
    costs: list[int] = np.add.reduceat(_weights(text), starts, dtype=np.int64).tolist()
    return costs


def cut_line(line: str, limit: int) -> list[str]:
    """Pieces of at most `limit` weighted characters, `limit` ≥ 32.

    Cut every `limit` UTF-16 units and, where that is still too heavy, again by weight; never inside a surrogate
    pair, nor before a combining mark or a joined emoji's next part.
    """
    if line.isascii():
        return [line[at : at + limit] for at in range(0, len(line), limit)]
    weights = np.concatenate(([0], np.cumsum(_weights(line), dtype=np.int64)))
    beyond_bmp = np.fromiter((char > "\uffff" for char in line), dtype=np.int64, count=len(line))
    units = np.concatenate(([0], np.cumsum(beyond_bmp + 1)))
    pieces: list[str] = []
    at = 0
    while at < len(line):
        end_by_units = _cut_before(line, at, int(np.searchsorted(units, units[at] + limit, "right")) - 1)
        while at < end_by_units:
            end_by_weight = int(np.searchsorted(weights, weights[at] + limit, "right")) - 1
            end = end_by_units if end_by_weight >= end_by_units else _cut_before(line, at, end_by_weight)
            pieces.append(line[at:end])
            at = end
    return pieces


def tail_within(line: str, limit: int) -> str:
    """The longest end of `line` that weighs at most `limit` and starts at a whole character."""
    if limit <= 0:
        return ""
    if line.isascii():
        return line[-limit:]
    tail = line[-limit:]  # no character weighs less than 1
    weights = np.cumsum(_weights(tail)[::-1], dtype=np.int64)
    start = len(line) - int(np.searchsorted(weights, limit, "right"))
    while 0 < start < len(line) and _joined(line, start):
        start += 1
    return line[start:]


def safe_cut(text: str, end: int) -> int:
    """The last position ≤ `end`, and > 0, at which `text` may be cut without tearing a visible character apart."""
    return _cut_before(text, 0, end)


def _cut_before(text: str, start: int, end: int) -> int:
    """`end`, or a little before it, so that text[start:end] ends with a whole visible character where it can."""
    for position in range(end, max(start, end - _LONGEST_CLUSTER), -1):
        if position >= len(text) or not _joined(text, position):
            return position
    return end


def _joined(text: str, position: int) -> bool:
    """Whether the character at `position` is part of the visible character (grapheme cluster) before it."""
    if text[position] < "\u0300" and text[position - 1] < "\u0300":
        return False
    # From a place that is surely between two: far enough back, and not between the halves of a flag.
    start = max(0, position - _LONGEST_CLUSTER)
    while start > position - _LONGEST_FLAGS and start and _FLAG_LETTERS[0] <= text[start - 1] <= _FLAG_LETTERS[1]:
        start -= 1
    around = text[start : position + 1]
    return all(cluster.start() != position - start for cluster in _CLUSTERS.finditer(around))


def dated_path(rel: str) -> date | None:
    """The date a daily note stands for: `YYYY-MM-DD.md` or `YYYY-MM-DD-<anything>.md` somewhere below `memory/`."""
    *folders, name = rel.split("/")
    shape = _DATE_SHAPE.fullmatch(name) if "memory" in folders else None
    if shape is None:
        return None
    year, month, day = map(int, shape.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def evergreen(rel: str) -> bool:
    """Whether a path never ages: the curated root files and every file below `memory/` without a date-shaped name."""
    if rel in _EVERGREEN_ROOTS:
        return True
    return rel.startswith("memory/") and _DATE_SHAPE.fullmatch(rel.rpartition("/")[2]) is None


def aged_from(rel: str, *, source: Source, mtime: float) -> float | None:
    """Seconds since the epoch from which a file's age counts; None for a file that never ages.

    Sessions age from their modification time, daily notes from the UTC midnight of their date, other files that are
    not evergreen from their modification time.
    """
    if source == "sessions":
        return mtime
    day = dated_path(rel)
    if day is not None:
        return float(calendar.timegm(day.timetuple()))
    return None if evergreen(rel) else mtime
