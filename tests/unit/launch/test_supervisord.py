"""The supervisor goes on when neither its log nor its own complaints about that can be written."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_appliance.launch import supervisord

CONFIG = """
[supervisord]
nodaemon=true
silent=true
logfile=/dev/full
logfile_maxbytes=0
pidfile={folder}/pid
[program:talkative]
command=sh -c 'while true; do echo hello; echo x >> {folder}/ticks; sleep 0.05; done'
redirect_stderr=true
stdout_logfile=/dev/full
stdout_logfile_maxbytes=0
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a file that is always full")
def test_a_full_disk_stops_neither_the_supervisor_nor_its_programs(tmp_path: Path) -> None:
    config = tmp_path / "supervisord.conf"
    config.write_text(CONFIG.format(folder=tmp_path))
    command = [sys.executable, "-P", supervisord.__file__, "--configuration", str(config)]
    with Path("/dev/full").open("w") as full, subprocess.Popen(command, stdout=full, stderr=full) as process:
        try:
            limit = time.monotonic() + 20
            ticks = tmp_path / "ticks"
            while process.poll() is None and (not ticks.exists() or ticks.stat().st_size < 20):
                assert time.monotonic() < limit
                time.sleep(0.05)
            assert process.poll() is None
        finally:
            process.terminate()
