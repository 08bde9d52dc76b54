"""zone(): an agent's time zone by name."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone(name: str) -> tzinfo:
    """UTC for a name this system does not know: the control plane checks names, the data may have moved since."""
    return _find(name) or UTC


def known_zone(name: str) -> bool:
    return _find(name) is not None


def _find(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a name that is a folder of zones, or too long
        return None
