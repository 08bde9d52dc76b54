"""The doctor reads the latest backup back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.backup import make_backup
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.backups import BACKUPS


def levels(**visit: Any) -> dict[str, str]:
    return {seen.part: seen.level for seen in BACKUPS.look(Visit(**visit))}


def test_a_backup_that_rots_is_found(transactional_db: None, data_dir: Path, settings: Any) -> None:
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"
    made = make_backup()
    assert levels()[""] == "ok"
    for block in data_dir.glob("backups/blocks/??/*"):
        block.write_bytes(block.read_bytes()[:-1])
    assert levels()["damaged"] == "problem"
    assert json.loads(made.path.read_text().partition("\n")[2])["name"] == made.name
