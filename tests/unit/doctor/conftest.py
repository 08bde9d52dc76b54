"""A doctor's visit to one check, on this test's data folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_appliance.doctor.check import Check, Seen, Visit

Look = Callable[..., dict[str, Seen]]


@pytest.fixture
def look(db: None, data_dir: Path, settings: Any) -> Look:
    """What a check saw, by part."""
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"

    def ask(check: Check, **visit: Any) -> dict[str, Seen]:
        return {seen.part: seen for seen in check.look(Visit(**visit))}

    return ask
