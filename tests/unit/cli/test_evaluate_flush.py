"""`manage.py evaluate --flush` in a data folder that no server has used yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_without_tables_it_says_what_to_run_first(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "evaluate", "--flush", str(tmp_path)],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "MEMORY_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "run manage.py migrate" in ran.stderr and "Traceback" not in ran.stderr
