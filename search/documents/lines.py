"""Bytes to lines: the one decoder and line splitter of chunker, snippets and get, so that line numbers agree."""

from __future__ import annotations

_BOM = "\ufeff"


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


def split_lines(text: str) -> list[str]:
    """Lines of a decoded text. A final newline leaves one empty last line; no other character ends a line."""
    return text.split("\n")


def count_lines(text: str) -> int:
    """Lines a reader sees: a final newline is not one more line, and an empty text has none."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
