"""install(), python_environment(): clients from npm and PyPI in the versions pinned here, kept in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.integration.stack.server import ROOT

PINNED = Path(__file__).parent / "packages"
CACHE = ROOT / ".cache" / "clients"
PATIENCE_SECONDS = 240


NODE = "node-24.21.0"
"""OpenClaw wants a newer Node.js than Debian has; the other clients run on it as well."""
_missing: dict[str, str] = {}
"""Why a client cannot be had: it is tried once."""


def install(name: str) -> Path:
    """The folder of the client's programs. Skips the test, with the reason, when npm or its registry is not there."""
    wanted = PINNED / name / "package.json"
    if name not in _missing and not _is_there(name, wanted):
        _fetch_from_npm(name, wanted)
    if name in _missing:
        pytest.skip(f"{name} cannot be fetched from npm: {_missing[name]}")
    return _bin(name)


def python_environment(name: str) -> Path:
    """The programs of a Python environment with the pinned packages. Skips the test when PyPI cannot be reached."""
    wanted, folder = PINNED / name / "requirements.txt", CACHE / name
    if name not in _missing and not _is_there(name, wanted):
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        _run(name, wanted, [*pip, "-r", str(wanted)], os.environ)
    if name in _missing:
        pytest.skip(f"{name} cannot be fetched from PyPI: {_missing[name]}")
    return folder / "bin"


def search_path(*bin_dirs: Path) -> str:
    return os.pathsep.join([*map(str, bin_dirs), str(_bin(NODE)), os.environ["PATH"]])


def _bin(name: str) -> Path:
    return CACHE / name / "node_modules" / ".bin"


def _is_there(name: str, wanted: Path) -> bool:
    whole = CACHE / name / f"whole{wanted.suffix}"
    return whole.exists() and whole.read_text() == wanted.read_text()


def _fetch_from_npm(name: str, wanted: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _missing[name] = "npm is not installed"
        return
    if name != NODE:
        install(NODE)
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(wanted.read_text())
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    _run(name, wanted, command, {**os.environ, "PATH": search_path()})


def _run(name: str, wanted: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Fetch what is wanted; why not is kept in `_missing`."""
    folder = CACHE / name
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        _missing[name] = f"not within {PATIENCE_SECONDS} s"
        return
    if done.returncode:
        _missing[name] = done.stderr.strip()[:300]
        return
    (folder / f"whole{wanted.suffix}").write_text(wanted.read_text())
