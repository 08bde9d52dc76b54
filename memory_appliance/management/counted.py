"""counted(): a number with its noun, as people say it: 1 file, 2 files."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
