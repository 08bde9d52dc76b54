"""Processes as the system sees them: programs below the supervisor, with all that they start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_appliance.processes import processes

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")

STARTS_ANOTHER = (
    "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=sys.stdin); "
    "print('up', flush=True); child.wait()"
)


@pytest.fixture
def supervisor(data_dir: Path) -> Path:
    """This process says that it is the supervisor."""
    path = data_dir / "run" / "supervisord.pid"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{os.getpid()}\n")
    return path


@pytest.fixture
def granian() -> Iterator[None]:
    """A child whose command line holds the name of the web server, with a child of its own."""
    command = [sys.executable, "-c", STARTS_ANOTHER, "granian"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"up\n"
        yield
        child.communicate(b"\n")


def test_a_program_is_counted_with_what_it_started(supervisor: Path, granian: None) -> None:
    (web,) = [process for process in processes() if process.name == "web"]
    assert web.count == 2 and web.rss_bytes > 5 * 1024**2


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "no number", "999999999", "-1"])
def test_without_a_supervisor_the_others_say_what_they_hold(supervisor: Path, text: str) -> None:
    supervisor.write_text(text)
    assert [process.name for process in processes()] == ["web"]
