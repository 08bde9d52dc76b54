"""The key that signs web sessions: the owner's, or one that is generated once and kept in the data folder."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path


def stored_secret_key(run_dir: Path) -> str:
    """The key in `run_dir`/secret_key (mode 0600), made at the first call. Raises OSError when it cannot be kept.

    Several processes may start at once: the lock lets one of them write and the others read what it wrote.
    """
    run_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(run_dir / "secret_key", os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        key = file.read().strip()
        if not key:
            key = secrets.token_urlsafe(48)
            file.seek(0)
            file.write(key)
            file.flush()
        return key
