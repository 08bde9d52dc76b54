"""`python -m memory_appliance.launch.healthy NAME`: whether one program does its work, for a container's health check.

Runs every half a minute beside each program, on small machines too: it loads neither settings nor Django. Exit code 0
or 1, and one line that says why.
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workers.alive import silent_for
from workers.sockets import socket_dir

WAIT_SECONDS = 4.0
SILENCE_SECONDS = 30.0


class Unhealthy(Exception):
    """The program does not do its work; the message says what was seen."""


def web(_local_dir: Path) -> None:
    _answers(int(os.environ.get("MEMORY_PORT", "8765")), "/health/ready")


def chat_proxy(_local_dir: Path) -> None:
    _answers(int(os.environ.get("MEMORY_CHAT_PROXY_PORT", "8766")), "/health")


def _answers(port: int, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, WAIT_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read(2000).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unhealthy(f"does not answer: {error}") from error
    if answer.status != http.HTTPStatus.OK:
        raise Unhealthy(f"answers {answer.status}: {body}")


def broker(local_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WAIT_SECONDS)
        try:
            connection.connect(str(socket_dir(local_dir) / "broker.sock"))
            connection.sendall(b"PING\r\n")
            answer = connection.recv(64)
        except OSError as error:
            raise Unhealthy(f"does not answer: {error}") from error
    if answer != b"+PONG\r\n":
        raise Unhealthy(f"answers {answer!r} to a ping")


def models(local_dir: Path) -> None:
    from workers.wire import Request, WireError, receive, send  # numpy: the other checks need none

    deadline = time.monotonic() + WAIT_SECONDS
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WAIT_SECONDS)
        try:
            connection.connect(str(socket_dir(local_dir) / "models.sock"))
            send(connection, Request("status").header(), deadline=deadline)
            answer, _ = receive(connection, deadline=deadline)
        except (OSError, WireError) as error:
            raise Unhealthy(f"does not answer: {error}") from error
    status = answer.get("status", {})
    if status.get("state") != "ready":
        raise Unhealthy(f"is not ready: {status.get('state')} {status.get('detail')}")


def alive(name: str) -> Callable[[Path], None]:
    """The check of a program that answers nobody: it leaves a sign of life at least every few seconds."""

    def check(local_dir: Path) -> None:
        silence = silent_for(local_dir / "run", name)
        if silence is None or silence > SILENCE_SECONDS:
            raise Unhealthy("gave no sign of life yet" if silence is None else f"silent for {silence:.0f} s")

    return check


CHECKS: Mapping[str, Callable[[Path], None]] = {
    "web": web,
    "chat-proxy": chat_proxy,
    "broker": broker,
    "models": models,
    **{name: alive(name) for name in ("worker", "beat", "watcher", "model-worker-0")},
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m memory_appliance.launch.healthy", description=__doc__)
    parser.add_argument("program", choices=sorted(CHECKS))
    name = parser.parse_args(arguments).program
    try:
        CHECKS[name](Path(os.environ.get("MEMORY_LOCAL_DIR") or os.environ.get("MEMORY_DATA_DIR") or "data").absolute())
    except Unhealthy as reason:
        print(f"{name} {reason}")
        return 1
    print(f"{name} is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
