"""The models process: the only one that loads GGUF models. `python -m workers.process --local-dir DIR`

It knows neither Django nor the broker, which keeps it small. It answers `status` from its first moment on, whatever
the model is doing.
"""

from __future__ import annotations

import argparse
import fcntl
import logging
import logging.config
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workers.logs import LogFormat, logging_settings
from workers.model_loader import ModelLoader
from workers.model_server import ModelServer
from workers.model_shelf import ModelShelf
from workers.sockets import SocketDirNotPrivate, make_socket_dir

log = logging.getLogger(__name__)

SOCKET_NAME = "models.sock"
LOCK_NAME = "models.lock"
SETUP_FILE = "models-setup.json"
THREADS_VARIABLE = "MEMORY_MODEL_THREADS"
LOG_LEVEL_VARIABLE = "MEMORY_LOG_LEVEL"
LOG_FORMAT_VARIABLE = "MEMORY_LOG_FORMAT"
_BACKLOG = 128


class CannotStart(Exception):
    """The process cannot serve; the message is one clear line for the owner."""


def run_models_process(
    socket_path: Path, models_dir: Path, *, setup_file: Path | None = None, threads: int = 1
) -> None:
    """Serve `socket_path` until SIGTERM or SIGINT. Call in the main thread of a process of its own.

    Raises `CannotStart` when another process serves this socket already or the socket cannot be made.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    # Idle OpenMP threads must sleep instead of spinning: on a busy machine spinning makes everything many times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    with _only_one(socket_path.with_name(LOCK_NAME)):
        listener = _listen(socket_path)
        loader = ModelLoader(models_dir, setup_file=setup_file, threads=threads)
        shelf = ModelShelf(models_dir, threads=threads)
        ModelServer(listener, loader, shelf).start()
        loader.start()
        shelf.start()
        log.info("listening on %s", socket_path)
        stop.wait()
        socket_path.unlink(missing_ok=True)


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Hold the lock that makes its owner the one server of the socket; the kernel frees it when the owner dies."""
    try:
        file = path.open("w")
    except OSError as error:
        raise CannotStart(f"cannot write {path}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotStart(f"another models process is serving {path.parent} already") from error
        yield


def _listen(path: Path) -> socket.socket:
    """A listening socket for this user alone, in place of one that a killed process left behind."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotStart(f"cannot listen on {path}: {error}") from error
    finally:
        os.umask(before)
    return listener


def threads_from(environment: Mapping[str, str]) -> int:
    """Threads per model context: 1, unless the owner asks for more."""
    text = environment.get(THREADS_VARIABLE, "1")
    cores = os.cpu_count() or 1
    if not text.isdecimal() or not 1 <= int(text) <= cores:
        raise CannotStart(f"{THREADS_VARIABLE} must be a number from 1 to {cores}, not {text!r}")
    return int(text)


def log_choice(environment: Mapping[str, str]) -> tuple[str, LogFormat]:
    """What the launcher passes on of the server's options."""
    form: LogFormat = "json" if environment.get(LOG_FORMAT_VARIABLE) == "json" else "line"
    return environment.get(LOG_LEVEL_VARIABLE, "INFO"), form


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m workers.process", description="Serve the local models.")
    parser.add_argument("--local-dir", type=Path, required=True, help="the server's local folder")
    local_dir = parser.parse_args(arguments).local_dir.absolute()
    logging.config.dictConfig(logging_settings(*log_choice(os.environ)))
    try:
        run_models_process(
            make_socket_dir(local_dir) / SOCKET_NAME,
            local_dir / "models",
            setup_file=local_dir / "run" / SETUP_FILE,
            threads=threads_from(os.environ),
        )
    except (CannotStart, SocketDirNotPrivate, OSError) as error:
        log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    logging.shutdown()
    # Not sys.exit(): a thread may be inside llama.cpp, and tearing the interpreter down beneath it would crash.
    os._exit(code)
