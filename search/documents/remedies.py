"""remedy(): what kind of problem a skipped file has, by the words of the scan; the way out depends on it."""

from __future__ import annotations

from typing import Literal

Remedy = Literal[
    "gone", "link", "unreadable", "large", "deep", "no_file", "encoding", "name", "front_matter", "rubbish", "other"
]

_BY_WORDS: tuple[tuple[str, Remedy], ...] = (
    ("No such file", "gone"),
    ("vanished during", "gone"),
    ("symlink", "link"),
    ("cannot be read", "unreadable"),
    ("more than the limit", "large"),
    ("folders deep", "deep"),
    ("is a folder", "no_file"),
    ("not a regular file", "no_file"),
    ("not valid UTF-8", "encoding"),
    ("the front matter does not count", "front_matter"),
    ("not searched, no text", "rubbish"),
    ("not allowed in", "name"),
    ("not valid Unicode", "name"),
    ("a name may have", "name"),
)


def remedy(problem: str) -> Remedy:
    return next((remedy for words, remedy in _BY_WORDS if words in problem), "other")
