"""The pinned installer `uv`: fetched once with its hashes, run with the lock file, its failures put into words."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import ssl
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memory_appliance.boot.say import LaunchFailed, step

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
_TOOLS = ROOT / ".cache" / "bootstrap"
_UV = _TOOLS / "bin" / "uv"
_REQUIREMENTS = ROOT / "scripts" / "bootstrap-requirements.txt"
_KEPT_LINES = 60

_HINTS = (
    (r"No space left|Disk quota", "the disk is full", "free at least 2 GB and start again: what is done is kept"),
    (r"Permission denied|Read-only file system", "a folder cannot be written", "start as the user who owns {root}"),
    (
        r"Hash mismatch|THESE PACKAGES DO NOT MATCH",
        "a downloaded file is not the one that was locked",
        "a proxy or mirror changes files; use another network or package index",
    ),
    (
        r"invalid peer certificate|CERTIFICATE_VERIFY_FAILED|UnknownIssuer",
        "the package index's certificate is not trusted",
        "install ca-certificates, or name your own CA file in SSL_CERT_FILE and PIP_CERT",
    ),
    (
        r"error sending request|dns error|timed out|Connection refused|NewConnectionError|No matching distribution"
        r"|Failed to fetch|network|Max retries",
        "the package index cannot be reached",
        "check the network; behind a mirror set PIP_INDEX_URL and UV_DEFAULT_INDEX; then start again",
    ),
    (
        r"CMAKE_(C|CXX)_COMPILER|No CMAKE_\w+_COMPILER could be found|C\+\+ compiler|command 'g?cc' failed",
        "there is no C++ compiler",
        "apt-get install -y g++ make, then start again",
    ),
)


def ensure_uv() -> None:
    """Have the pinned `uv` in `.cache/bootstrap`; downloads it (about 20 MB) when it is not there.

    Raises `LaunchFailed`.
    """
    pin = re.search(r"^uv==([\w.]+)", _REQUIREMENTS.read_text(), re.MULTILINE)
    if pin is None:
        raise LaunchFailed(f"{_REQUIREMENTS.name} names no version of uv", hint="restore the file from the repository")
    if _installed_version() == pin[1]:
        return
    with step(f"Fetching the installer uv {pin[1]}"):
        try:
            venv.create(_TOOLS, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise explained(f"the folder {_TOOLS} cannot be set up", str(error)) from error
        pip = [str(_TOOLS / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        done = subprocess.run(  # noqa: S603 - our own command
            [*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(_REQUIREMENTS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    if done.returncode != 0 or _installed_version() != pin[1]:
        raise explained(f"uv {pin[1]} could not be installed", done.stdout)


def _installed_version() -> str:
    try:
        done = subprocess.run([_UV, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    except OSError:
        return ""
    words = done.stdout.split()
    return words[1] if len(words) > 1 else ""


def sync(
    arguments: Sequence[str],
    *,
    on_line: Callable[[str], None],
    environment: Mapping[str, str] | None = None,
    nice: int = 0,
) -> None:
    """`uv sync` from the lock file into `.venv`; `on_line` gets every line that uv and the builds print.

    Packages that another set brought stay (`--inexact`). The owner's UV_* variables are respected.
    Raises `LaunchFailed`.
    """
    command = [str(_UV), "sync", "--frozen", "--inexact", *_certificates(), *arguments]
    if nice and (niced := shutil.which("nice")):
        command = [niced, "-n", str(nice), *command]
    kept: list[str] = []
    process = subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=ROOT,
        env={**os.environ, "UV_PROJECT_ENVIRONMENT": str(VENV), "UV_PYTHON_DOWNLOADS": "never", **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            kept = [*kept[-_KEPT_LINES:], line]
            on_line(line.rstrip("\n"))
    if process.wait() != 0:
        raise explained("the packages could not be installed", "".join(kept))


def sync_under_way() -> bool:
    """Whether another `uv sync` works in `.venv` now: the next one waits for it without a word."""
    try:
        with (VENV / ".lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def base_python() -> str:
    """The interpreter outside any virtual environment that this one was made from."""
    return getattr(sys, "_base_executable", "") or sys.executable


def _certificates() -> list[str]:
    """Trust what the system trusts, where it has such a list at all (a bare container may not)."""
    paths = ssl.get_default_verify_paths()
    has_some = paths.cafile or (paths.capath and any(Path(paths.capath).iterdir()))
    return ["--system-certs"] if has_some else []


def explained(message: str, output: str) -> LaunchFailed:
    """The failure in words, its cause read from what the tool printed."""
    for pattern, cause, hint in _HINTS:
        if re.search(pattern, output):
            return LaunchFailed(f"{message}: {cause}", hint=hint.format(root=ROOT))
    told = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("DEBUG")]
    return LaunchFailed(f"{message}: {told[-1] if told else 'no reason was given'}", hint="see the lines above")
