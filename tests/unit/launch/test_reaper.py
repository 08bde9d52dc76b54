"""Nothing survives the launcher, however it was orphaned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PARENT = "import subprocess as s; print(s.Popen(['sleep', '60'], start_new_session=True, stdout=s.DEVNULL).pid)"
SCRIPT = f"""
import subprocess, sys, time
from memory_appliance.launch.reaper import adopt_orphans, children, kill_children
adopt_orphans()
orphan = int(subprocess.run([sys.executable, "-c", {PARENT!r}], stdout=subprocess.PIPE, check=True).stdout)
assert orphan in children()
kill_children()
print(orphan, children())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans over")
def test_an_orphan_in_a_session_of_its_own_is_found_and_killed() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    orphan, left = done.stdout.split(maxsplit=1)
    assert left.strip() == "[]"
    assert not Path(f"/proc/{orphan}").exists()
