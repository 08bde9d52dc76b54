"""Where the Unix sockets of one server lie: in its `run` folder, or in a short one when its path is too long."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

LONGEST_PATH = 100
"""Bytes a socket's path may have: Linux allows 107, macOS 103; a temporary name needs some of them."""


class SocketDirNotPrivate(Exception):
    """Somebody else owns, or may write to, the folder that our sockets would lie in."""


def socket_dir(local_dir: Path) -> Path:
    """The folder for `local_dir`'s sockets. Pure: looks at nothing and creates nothing.

    Depends on the local folder and the user alone, not on the session's environment, so that a command typed in a
    terminal finds the sockets of a server that a service manager started.
    """
    run = local_dir / "run"
    if len(os.fsencode(run / "broker.sock")) <= LONGEST_PATH:
        return run
    digest = hashlib.sha256(os.fsencode(local_dir)).hexdigest()[:12]
    return Path("/tmp") / f"memory-appliance-{os.getuid()}-{digest}"  # noqa: S108 - checked by make_socket_dir


def make_socket_dir(local_dir: Path) -> Path:
    """`socket_dir`, created for this user alone.

    Raises `SocketDirNotPrivate` when a stranger got there first, `OSError` when it cannot be created.
    """
    folder = socket_dir(local_dir)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise SocketDirNotPrivate(
            f"{folder} is not a folder of this user; remove it, or use a shorter MEMORY_LOCAL_DIR"
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder
