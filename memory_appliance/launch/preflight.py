"""What must hold before anything starts: a writable data folder, room on its disk, no second instance, a free port."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import shutil
import socket
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO

from memory_appliance.boot.say import LaunchFailed
from memory_appliance.launch.layout import Layout
from memory_appliance.settings.options import Options
from workers.sockets import SocketDirNotPrivate, make_socket_dir

NEEDED_BYTES = 200 * 1024**2
WANTED_FILES = 8192
"""Open files a process may need: up to 256 agents' indexes, each with a log, and the connections."""


def prepare_folders(layout: Layout, data_dir: Path) -> None:
    """Create the server's own folders; raises `LaunchFailed` when that or writing in them is not possible."""
    # The first two hold what was remembered, though no workspace: nobody else on this machine has to read them.
    _prepare("MEMORY_DATA_DIR", data_dir, data_dir / "history", data_dir / "transcripts")
    _prepare("MEMORY_LOCAL_DIR", layout.local_dir, layout.run_dir, layout.log_dir)
    try:
        make_socket_dir(layout.local_dir)
    except SocketDirNotPrivate as error:
        raise LaunchFailed(str(error)) from error


def _prepare(option: str, folder: Path, *rooms: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for room in rooms:
            room.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise LaunchFailed(
            f"the folder {folder} ({option}) cannot be written: {error.strerror}", hint=_folder_hint(option, folder)
        ) from error
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise LaunchFailed(
            f"{free / 1024**2:.0f} MB are free on the disk of {folder}; "
            f"at least {NEEDED_BYTES // 1024**2} MB are needed",
            hint=f"free some space, or set {option} to a folder on another disk",
        )


def own_folders(options: Options) -> set[Path]:
    """What no other server may use: the data folder too, unless PostgreSQL lets several share it."""
    return {options.local_dir} if options.database_url else {options.local_dir, options.data_dir}


def lock_instance(*folders: Path) -> ExitStack:
    """Hold these folders until what is returned is closed. Raises `LaunchFailed` when one of them is taken."""
    with ExitStack() as held:
        for folder in folders:
            held.enter_context(_locked(folder))
        return held.pop_all()


def _locked(folder: Path) -> IO[str]:
    (folder / "run").mkdir(mode=0o700, exist_ok=True)
    file = (folder / "run" / "instance.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise LaunchFailed(
            f"another server already runs on {folder}" + (f" (process {holder})" if holder else ""),
            hint="stop it with Ctrl-C, or give this one a data folder of its own: MEMORY_DATA_DIR=… make run; with "
            "PostgreSQL a MEMORY_LOCAL_DIR of its own is enough",
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def check_ports(layout: Layout, chat_proxy_port: int | None) -> None:
    """The server's port, and the chat proxy's where it runs. Raises `LaunchFailed`."""
    check_port(layout)
    if chat_proxy_port == layout.port:
        raise LaunchFailed(
            f"the server and the chat proxy cannot both listen on port {layout.port}",
            hint=f"choose another for one of them: MEMORY_CHAT_PROXY_PORT={layout.port % 65535 + 1} make run",
        )
    if chat_proxy_port is not None:
        check_port(replace(layout, port=chat_proxy_port), option="MEMORY_CHAT_PROXY_PORT")


def check_port(layout: Layout, *, option: str = "MEMORY_PORT") -> None:
    """Raises `LaunchFailed` when the address cannot be listened on. `option` sets the port."""
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
            raise _port_failure(layout, option, error) from error


def raise_file_limit() -> None:
    """Allow as many open files as the server may want and the system grants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _port_failure(layout: Layout, option: str, error: OSError) -> LaunchFailed:
    if error.errno == errno.EADDRINUSE:
        return LaunchFailed(
            f"port {layout.port} is already in use",
            hint=f"stop what listens there, or choose another: {option}={layout.port % 65535 + 1} make run",
        )
    if error.errno == errno.EACCES:
        return LaunchFailed(
            f"port {layout.port} is reserved for root", hint=f"choose one above 1023: {option}=8765 make run"
        )
    return LaunchFailed(
        f"cannot listen on {layout.host}:{layout.port}: {error.strerror}", hint=f"check MEMORY_HOST and {option}"
    )


def _folder_hint(option: str, folder: Path) -> str:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not existing.is_dir():
        return f"{existing} is not a folder; set {option} to one"
    found = existing.stat()
    return (
        f"{existing} belongs to user {found.st_uid} with mode {found.st_mode & 0o7777:o}, you are user {os.getuid()}; "
        f"change its owner, or set {option} to a folder of yours"
    )
