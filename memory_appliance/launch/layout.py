"""The paths and addresses of one running server, derived from the options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workers.sockets import socket_dir


@dataclass(frozen=True, slots=True)
class Layout:
    """`local_dir` is absolute; nothing here looks at the disk."""

    local_dir: Path
    host: str
    port: int

    @property
    def run_dir(self) -> Path:
        return self.local_dir / "run"

    @property
    def log_dir(self) -> Path:
        return self.local_dir / "logs"

    @property
    def socket_dir(self) -> Path:
        return socket_dir(self.local_dir)

    @property
    def broker_socket(self) -> Path:
        return self.socket_dir / "broker.sock"

    @property
    def sockets(self) -> tuple[Path, ...]:
        return (self.broker_socket, self.socket_dir / "models.sock")

    @property
    def url(self) -> str:
        """Where this machine reaches the server: a wildcard address is no address to call."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"
