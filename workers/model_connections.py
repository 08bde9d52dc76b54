"""ModelConnections: open connections to the models socket, shared by the threads of one process."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from search.errors import EmbedderUnavailable
from search.runtime.deadline import Deadline
from search.sentences import sentence
from workers.wire import wait_readable

DOWN_SECONDS = 1.0
"""For so long a process that could not be reached is not tried again, so that a dead one costs a search nothing."""

_MOST_IDLE = 8


class ModelConnections:
    """A thread takes a connection, uses it alone, and gives it back only if the exchange was complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._idle: list[socket.socket] = []
        self._down_until = 0.0
        self._down: EmbedderUnavailable | None = None

    def take(self) -> socket.socket | None:
        """An idle connection whose other end is still there, or None."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not wait_readable(connection, 0):
                return connection
            connection.close()  # the other end has hung up: nothing else makes an idle connection readable

    def connect(self, deadline: Deadline) -> socket.socket:
        """A new connection, or `EmbedderUnavailable` with the reason; a failure is remembered for a second."""
        if self._down is not None and time.monotonic() < self._down_until:
            raise EmbedderUnavailable(self._down.message, hint=self._down.hint)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(deadline.left())
            connection.connect(str(self._path))
        except OSError as error:
            connection.close()
            self._down, self._down_until = _reason(error), time.monotonic() + DOWN_SECONDS
            raise self._down from error
        return connection

    def give_back(self, connection: socket.socket) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def any_alive(self) -> bool:
        """Whether the process that answered last still lives, judged by an idle connection; costs microseconds."""
        connection = self.take()
        if connection is None:
            return False
        self.give_back(connection)
        return True

    def forget_failure(self) -> None:
        """Let the next `connect` really try."""
        self._down = None

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(OSError):
                connection.close()


def _reason(error: OSError) -> EmbedderUnavailable:
    match error:
        case FileNotFoundError() | ConnectionRefusedError():
            return EmbedderUnavailable(
                sentence("the models process is not running"),
                hint=sentence("It starts with the server (`make run`); searches go by words meanwhile."),
            )
        case BlockingIOError() | TimeoutError():
            return EmbedderUnavailable(
                sentence("the models process does not accept connections"),
                hint=sentence("It may be stuck: restart the server."),
            )
        case _:
            return EmbedderUnavailable(
                sentence("the models process cannot be reached: {error}", error=error),
                hint=sentence("Check who owns the folder of its socket."),
            )
