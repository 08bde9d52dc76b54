"""kill -9 in the middle of a backup leaves nothing that counts as one, and the next one is whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents.backup import list_backups, make_backup, verify_backup
from agents.models import Agent
from tests.integration.stack.server import ROOT, until

_MAKE = "from agents.backup import make_backup; make_backup()"


@pytest.fixture
def large(al: Agent, transactional_db: None, data_dir: Path, settings: Any) -> Path:
    """Enough files that a backup takes a while; answers the folder of backups."""
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"
    for number in range(60):
        (Path(al.workspace) / f"{number}.bin").write_bytes(os.urandom(512 * 1024))
    return data_dir / "backups"


def _has_written(backups: Path, blocks: int) -> bool:
    return len(list(backups.glob("blocks/??/*"))) >= blocks


def test_a_killed_backup_is_none_and_the_next_is_whole(large: Path, data_dir: Path, settings: Any) -> None:
    control = settings.DATABASES["default"]["NAME"]
    (data_dir / "control.sqlite3").symlink_to(control)
    environment = {
        **os.environ,
        "MEMORY_DATA_DIR": str(data_dir),
        "DJANGO_SETTINGS_MODULE": "memory_appliance.settings",
    }
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", _MAKE]
    for blocks in (1, 30, 110):
        process = subprocess.Popen(command, cwd=ROOT, env=environment)
        until("blocks are written", partial(_has_written, large, blocks), 60)
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
        assert list_backups() == ()
    made = make_backup()
    assert verify_backup(made.name).ok
    assert not [path for path in large.iterdir() if path.name.startswith(".work")]
