"""Postgres: a cluster of its own in a folder of its own, from Debian's binaries, for the length of a test run."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psycopg

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
USER = "postgres"


def why_not() -> str:
    """Why no cluster can be started here; "" when it can."""
    if not BINARIES:
        return "PostgreSQL's binaries are missing: apt-get install postgresql"
    if os.getuid() == 0 and USER not in {entry.pw_name for entry in pwd.getpwall()}:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


@dataclass
class Postgres:
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgres://{USER}@127.0.0.1:{self.port}/memory"

    @classmethod
    def temporary(cls) -> Postgres:
        """Started, on a free port; `remove` ends it. Not in pytest's own folder: PostgreSQL's user may not enter it."""
        folder = Path(tempfile.mkdtemp(prefix="memory-postgres-"))
        folder.chmod(0o755)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        return cls(folder / "cluster", port).start()

    def start(self) -> Postgres:
        self.folder.mkdir(parents=True)
        if os.getuid() == 0:
            shutil.chown(self.folder, USER)
        self._run("initdb", "-D", str(self.folder / "db"), "-U", USER, "--auth", "trust", "--no-sync")
        self.go_on()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "memory")
        return self

    def go_on(self) -> None:
        """Start it again after `stop`, with all that it held."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off -c shared_buffers=32MB"
        self._run("pg_ctl", "-D", str(self.folder / "db"), "-o", options, "-l", str(self.folder / "log"), "-w", "start")

    def stop(self) -> None:
        """At once, as when the machine goes: every connection breaks."""
        self._run("pg_ctl", "-D", str(self.folder / "db"), "-m", "immediate", "-w", "stop")

    def connected(self) -> psycopg.Connection:
        return psycopg.connect(self.url, autocommit=True)

    def remove(self) -> None:
        if (self.folder / "db" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(BINARIES[-1] / name), *arguments]
        if os.getuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
