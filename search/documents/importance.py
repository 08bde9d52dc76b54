"""parse_importance(): the 1..10 of an annotation or of front matter."""

from __future__ import annotations

LEAST, MOST = 1, 10


def parse_importance(value: str) -> int | None:
    """The integer a writer gave; None for anything that is not a plain integer from 1 to 10."""
    digits = value.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 2):
        return None
    number = int(digits)
    return number if LEAST <= number <= MOST else None
