"""Addresses of the reader: from a path, from a citation (`path#L3-L7`), from a link in a note."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlencode, urlsplit

from django.urls import reverse

from search.file_types import file_type

_CITATION = re.compile(
    r"(?P<path>[^#]+?)(?:#(?:page=[\d-]{1,13}&)?L(?P<first>\d{1,7})(?:\s?[-–]\s?L?(?P<last>\d{1,7}))?)?"
)
_LINES = re.compile(r"L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?")


@dataclass(frozen=True, slots=True)
class Lines:
    """1-based and inclusive."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}" if self.last > self.first else str(self.first)


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    lines: Lines | None = None


def reader_address(slug: str, path: str, lines: Lines | None = None, **query: str) -> str:
    """Where the file is read; the lines are marked, and the browser goes to the first of them."""
    parameters = {"path": path} | ({"lines": str(lines)} if lines else {}) | {k: v for k, v in query.items() if v}
    mark = f"#L{lines.first}" if lines else ""
    return f"{reverse('file', args=[slug])}?{urlencode(parameters)}{mark}"


def lines_of(text: str) -> Lines | None:
    """`12`, `12-20` or `L12-L20`; None for anything else, and for lines that cannot be."""
    match = _LINES.fullmatch(text.strip())
    return _lines(match[1], match[2]) if match else None


def citation(text: str) -> Place | None:
    """`memory/pond.md#L3-L7`, or the path alone; None for what is neither."""
    match = _CITATION.fullmatch(text.strip())
    if match is None or file_type(match["path"]) is None:
        return None
    return Place(match["path"], _lines(match["first"], match["last"]) if match["first"] else None)


def linked(target: str, *, path: str, prefix: str) -> Place | None:
    """The file of the same collection that a link in the file `path` leads to; None when it leads elsewhere.

    Links are relative to the file they stand in, and never leave their collection.
    """
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    if parts.scheme or parts.netloc or parts.query or parts.path.startswith("/"):
        return None
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path))) if parts.path else path
    if inside.startswith("..") or not inside.startswith(prefix) or file_type(inside) is None:
        return None
    return Place(inside, lines_of(parts.fragment) if parts.fragment else None)


def _lines(first: str, last: str | None) -> Lines | None:
    start, end = int(first), int(last or first)
    return Lines(start, end) if 1 <= start <= end else None
