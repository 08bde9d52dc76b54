"""What must hold before anything starts: a writable data folder, room on its disk, no second instance, a free port."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import shutil
import socket
import tempfile
from pathlib import Path
from typing import IO

from memory_appliance.launch.layout import Layout
from memory_appliance.launch.say import LaunchFailed
from workers.sockets import SocketDirNotPrivate, make_socket_dir

NEEDED_BYTES = 200 * 1024**2
WANTED_FILES = 8192
"""Open files a process may need: up to 256 agents' indexes, each with a log, and the connections."""


def prepare_folders(layout: Layout) -> None:
    """Create the data folder's own folders; raises `LaunchFailed` when that or writing in them is not possible."""
    try:
        layout.data_dir.mkdir(parents=True, exist_ok=True)
        # The last two hold what was remembered, though no workspace: nobody else on this machine has to read them.
        for folder in (layout.run_dir, layout.log_dir, layout.data_dir / "history", layout.data_dir / "transcripts"):
            folder.mkdir(mode=0o700, exist_ok=True)
        make_socket_dir(layout.data_dir)
        with tempfile.TemporaryFile(dir=layout.data_dir):
            pass
    except SocketDirNotPrivate as error:
        raise LaunchFailed(str(error)) from error
    except OSError as error:
        raise LaunchFailed(
            f"the data folder {layout.data_dir} cannot be written: {error.strerror}", hint=_folder_hint(layout.data_dir)
        ) from error
    free = shutil.disk_usage(layout.data_dir).free
    if free < NEEDED_BYTES:
        raise LaunchFailed(
            f"{free / 1024**2:.0f} MB are free on the disk of {layout.data_dir}; "
            f"at least {NEEDED_BYTES // 1024**2} MB are needed",
            hint="free some space, or set MEMORY_DATA_DIR to a folder on another disk",
        )


def lock_instance(layout: Layout) -> IO[str]:
    """Hold this data folder for as long as the returned file stays open. Raises `LaunchFailed` when it is taken."""
    file = (layout.run_dir / "instance.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise LaunchFailed(
            f"another server already runs on {layout.data_dir}" + (f" (process {holder})" if holder else ""),
            hint="stop it with Ctrl-C, or give this one a data folder of its own: MEMORY_DATA_DIR=… make run",
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def check_port(layout: Layout) -> None:
    """Raises `LaunchFailed` when the address cannot be listened on."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            layout.host, layout.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise LaunchFailed(f"MEMORY_HOST={layout.host} is no address of this machine: {error.strerror}") from error
    with socket.socket(family, kind, proto) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise _port_failure(layout, error) from error


def raise_file_limit() -> None:
    """Allow as many open files as the server may want and the system grants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _port_failure(layout: Layout, error: OSError) -> LaunchFailed:
    if error.errno == errno.EADDRINUSE:
        return LaunchFailed(
            f"port {layout.port} is already in use",
            hint=f"stop what listens there, or choose another: MEMORY_PORT={layout.port % 65535 + 1} make run",
        )
    if error.errno == errno.EACCES:
        return LaunchFailed(
            f"port {layout.port} is reserved for root", hint="choose one above 1023: MEMORY_PORT=8765 make run"
        )
    return LaunchFailed(
        f"cannot listen on {layout.host}:{layout.port}: {error.strerror}", hint="check MEMORY_HOST and MEMORY_PORT"
    )


def _folder_hint(folder: Path) -> str:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not existing.is_dir():
        return f"{existing} is not a folder; set MEMORY_DATA_DIR to one"
    found = existing.stat()
    return (
        f"{existing} belongs to user {found.st_uid} with mode {found.st_mode & 0o7777:o}, you are user {os.getuid()}; "
        "change its owner, or set MEMORY_DATA_DIR to a folder of yours"
    )
