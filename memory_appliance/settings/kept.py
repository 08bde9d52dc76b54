"""kept(): a value that is made once and stays in a file of its own, such as the key of web sessions."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import socket
from collections.abc import Callable
from pathlib import Path


def stored_secret_key(run_dir: Path) -> str:
    """The key that signs web sessions. Raises OSError when it cannot be kept."""
    return kept(run_dir / "secret_key", lambda: secrets.token_urlsafe(48))


def stored_server_name(run_dir: Path) -> str:
    """The machine's name and three random bytes: two servers on one machine have two folders, and so two names."""
    host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower()).strip("-")[:40] or "server"
    return kept(run_dir / "server_name", lambda: f"{host}-{secrets.token_hex(3)}")


def kept(path: Path, make: Callable[[], str]) -> str:
    """What `path` (mode 0600) holds, made at the first call. Raises OSError when it cannot be kept.

    Several processes may start at once: the lock lets one of them write and the others read what it wrote.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        value = file.read().strip()
        if not value:
            value = make()
            file.seek(0)
            file.write(value)
            file.flush()
        return value
