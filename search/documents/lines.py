"""Bytes to lines: the one decoder and line splitter of chunker, snippets and get, so that line numbers agree."""

from __future__ import annotations

import re

_BOM = "\ufeff"

_JUDGED_CHARS = 64 * 1024
_MOST_UNREADABLE = 0.3
"""Random bytes are unreadable in more than half; a Western text in another encoding in a few of a hundred."""
_FEW_UNREADABLE = 100
_UNREADABLE = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x9f\ufffd]")


def decode(data: bytes) -> tuple[str, bool]:
    """Text of a file, and whether bytes that are not UTF-8 had to be replaced by U+FFFD.

    A byte order mark is dropped. `\\r\\n` and a lone `\\r` become `\\n`: all three end a line, as in CommonMark. NUL
    becomes U+FFFD, also as in CommonMark: SQLite, JSON readers and terminals each end a text at it in their own way.
    """
    try:
        text, lossy = data.decode(), False
    except UnicodeDecodeError:
        text, lossy = data.decode(errors="replace"), True
    text = text.removeprefix(_BOM)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "\ufffd"), lossy


def is_text(text: str) -> bool:
    """Whether a decoded file is something to read: of a picture or a program most signs are unreadable."""
    judged = text[:_JUDGED_CHARS]
    return len(_UNREADABLE.findall(judged)) <= max(_FEW_UNREADABLE, _MOST_UNREADABLE * len(judged))


def split_lines(text: str) -> list[str]:
    """Lines of a decoded text. A final newline leaves one empty last line; no other character ends a line."""
    return text.split("\n")


def count_lines(text: str) -> int:
    """Lines a reader sees: a final newline is not one more line, and an empty text has none."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
