"""install(): a client from npm in the versions that are pinned here, once, kept beside the other caches."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    if name not in _missing and not _is_there(name):
        _fetch(name)
    if name in _missing:
        pytest.skip(f"{name} cannot be fetched from npm: {_missing[name]}")
    return _bin(name)


def search_path(*bin_dirs: Path) -> str:
    return os.pathsep.join([*map(str, bin_dirs), str(_bin(NODE)), os.environ["PATH"]])


def _bin(name: str) -> Path:
    return CACHE / name / "node_modules" / ".bin"


def _wanted(name: str) -> str:
    return (PINNED / name / "package.json").read_text()


def _is_there(name: str) -> bool:
    whole = CACHE / name / "whole.json"
    return whole.exists() and whole.read_text() == _wanted(name)


def _fetch(name: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _missing[name] = "npm is not installed"
        return
    if name != NODE:
        install(NODE)
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(_wanted(name))
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    environment = {**os.environ, "PATH": search_path()}
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
    (folder / "whole.json").write_text(_wanted(name))
