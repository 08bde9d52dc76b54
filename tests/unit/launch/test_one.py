"""A program alone, as a container runs it: the table's own, with its folders made and its failures in words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_appliance.launch.healthy import broker

COMMAND = (sys.executable, "-m", "memory_appliance.launch.one")


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "MEMORY_DATA_DIR": str(tmp_path / "data")}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return subprocess.Popen(
        [*COMMAND, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_the_process_becomes_the_program(tmp_path: Path) -> None:
    process = started(tmp_path, "broker")
    socket = tmp_path / "data" / "run" / "broker.sock"
    deadline = time.monotonic() + 20
    while not socket.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    broker(tmp_path / "data")
    assert "valkey-server" in Path(f"/proc/{process.pid}/cmdline").read_text()
    process.terminate()
    process.communicate(timeout=10)
    assert process.returncode == 0


@pytest.mark.parametrize("name", ["setup-models", "nobody"])
def test_what_is_no_long_running_program_is_refused_with_the_choices(tmp_path: Path, name: str) -> None:
    output, _ = (process := started(tmp_path, name)).communicate(timeout=20)
    assert process.returncode == 2 and "choose from" in output and "watcher" in output


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    output, _ = (process := started(tmp_path, "watcher")).communicate(timeout=20)
    assert process.returncode == 1 and "error: the data folder" in output and "Traceback" not in output


def test_a_chat_proxy_without_a_model_says_which_option_is_missing(tmp_path: Path) -> None:
    output, _ = (process := started(tmp_path, "chat-proxy")).communicate(timeout=20)
    assert process.returncode == 1 and "MEMORY_CHAT_PROXY_UPSTREAM_URL" in output and "Traceback" not in output
