"""The mark of a damaged index: an empty file beside it, left by whoever met a damaged page, seen by the next update.

A page deep inside is met by a search long before an update would read it, and a search must not repair anything.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)


def damage_mark(index: Path) -> Path:
    return index.with_name(index.name + ".damaged")


def mark_damaged(index: Path, error: Exception) -> None:
    """Where not even an empty file can be written, nothing can be repaired either."""
    log.error("a damaged index is made again by the next update", extra={"index": index.name, "reason": str(error)})
    with suppress(OSError):
        damage_mark(index).touch()


def is_damaged(index: Path) -> bool:
    return damage_mark(index).exists()
