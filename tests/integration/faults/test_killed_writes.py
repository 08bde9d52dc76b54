"""0 lost, 0 doubled, 0 hidden leftovers, 0 starts refused, wherever a write is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.integration.faults import killed_restores, killed_writes

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("module", "scenario"), [(module, name) for module in (killed_writes, killed_restores) for name in module.SCENARIOS]
)
def test_a_write_may_be_killed_at_every_line(module: ModuleType, scenario: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", module.__name__, str(tmp_path / "data"), scenario]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    print(f"{scenario}: killed at {told['killed']} lines, {len(told['faults'])} faults")
    assert told["faults"] == [] and told["killed"] > 20
