"""0 lost, 0 doubled, 0 hidden leftovers, 0 starts refused, wherever a write is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.integration.faults import killed_restores, killed_writes

ROOT = Path(__file__).resolve().parents[3]
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where there is such a disk."""
    in_memory = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=MEMORY if in_memory else tmp_path, prefix="memory-killed-") as name:
        yield Path(name).resolve()


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("module", "scenario"), [(module, name) for module in (killed_writes, killed_restores) for name in module.SCENARIOS]
)
def test_a_write_may_be_killed_at_every_line(module: ModuleType, scenario: str, folder: Path) -> None:
    command = [sys.executable, "-m", module.__name__, str(folder / "data"), scenario]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    print(f"{scenario}: {told['lines']} lines, killed at {told['killed']}, {len(told['faults'])} faults")
    assert told["faults"] == [] and told["killed"] >= 4
