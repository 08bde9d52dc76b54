"""Starting with settings that cannot work: exit code 1 and one line, in whatever process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_appliance.settings.kept import stored_secret_key

ROOT = Path(__file__).resolve().parents[3]


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import memory_appliance.settings"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("MEMORY_PORT", "x", "error: MEMORY_PORT: "),
        ("DATABASE_URL", "nonsense", "error: DATABASE_URL: "),
        ("MEMORY_DATA_DIR", "/proc/nowhere", "cannot be written"),
    ],
)
def test_a_bad_option_ends_the_start_with_one_line(tmp_path: Path, name: str, value: str, says: str) -> None:
    done = start(**{"MEMORY_DATA_DIR": str(tmp_path), name: value})
    assert done.returncode == 1 and says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    first = stored_secret_key(tmp_path / "run")
    assert len(first) >= 50 and stored_secret_key(tmp_path / "run") == first
    assert (tmp_path / "run" / "secret_key").stat().st_mode & 0o777 == 0o600
