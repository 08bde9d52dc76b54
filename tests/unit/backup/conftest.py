"""A server's data folder with two agents, and its backups beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def backups(transactional_db: None, data_dir: Path, settings: Any) -> Path:
    """The folder of the backups of this test's server; it does not exist yet.

    A backup sees only what was committed, so these tests commit.
    """
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"
    return settings.MEMORY_BACKUP_DIR
