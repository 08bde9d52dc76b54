"""`manage.py control move --to …`: the control database into another engine; exit code 0 done, 1 failed, 2 usage."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection

from agents.backup.moving import MovedTable, move_control, move_control_to_file
from agents.backup.values import BackupError
from agents.models import WorkerHeartbeat
from memory_appliance.boot.say import LaunchFailed
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.stopped import server_stopped
from memory_appliance.management.unusable import unusable
from memory_appliance.settings.database import EXAMPLE, postgres_settings

SQLITE = "sqlite"
_ALIVE_SECONDS = 15.0


class Command(BaseCommand):
    help = "Move the control database from SQLite to PostgreSQL or back, while the server is stopped."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["move"])
        parser.add_argument(
            "--to",
            required=True,
            metavar="WHERE",
            help=f"`{SQLITE}`, an address such as {EXAMPLE}, or the path of a file that holds the address",
        )
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: Any, to: str, as_json: bool, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        kept: Path | None = None
        try:
            with server_stopped():
                if to == SQLITE:
                    if connection.vendor == "sqlite":
                        raise Failed("The control database is SQLite already.")
                    _refuse_living_servers()
                    moved, kept = move_control_to_file(settings.MEMORY_DATA_DIR / "control.sqlite3")
                else:
                    target = postgres_settings(_address(to))
                    _refuse_living_servers()
                    moved = move_control(target)
        except (BackupError, LaunchFailed) as error:
            self._fail(f"{error.message.rstrip('.')}. {error.hint}".strip())
        except ValueError as error:
            self._fail(f"--to: {error}")
        except Failed as error:
            self._fail(str(error))
        except DatabaseError as error:
            self._fail(unusable(error))
        if as_json:
            output.answer([asdict(table) for table in moved])
            return
        _tell(output, moved, to_file=to == SQLITE, kept=kept)

    def _fail(self, line: str) -> None:
        self.stderr.write(f"error: {line}")
        sys.exit(1)


def _tell(output: Output, moved: tuple[MovedTable, ...], *, to_file: bool, kept: Path | None) -> None:
    for table in moved:
        output.line(f"{table.rows:>9}  {table.name}  {table.digest[:16]}")
    rows = sum(table.rows for table in moved)
    output.line(f"Moved {rows} rows of {len(moved)} tables; counts and hashes are the same in both databases.")
    if kept:
        output.line(f"The older SQLite file that was there is kept: {kept}")
    if to_file:
        output.line("Now take DATABASE_URL away (environment, .env, docker/secrets) and start the server.")
    else:
        output.line("Now set DATABASE_URL to that address (or DATABASE_URL_FILE to its file) and start the server.")
    output.line("The database of before is untouched; the server must not be started on it again.")


def _address(to: str) -> str:
    """The address itself, or what the file holds: so that no password is in a list of processes."""
    if "://" in to:
        return to
    try:
        return Path(to).read_text().strip()
    except (OSError, ValueError) as error:
        raise Failed(f"{to} is neither `{SQLITE}` nor an address nor a file that can be read: {error}.") from None


def _refuse_living_servers() -> None:
    """Other machines on the same PostgreSQL. A worker that lives says so every five seconds. Raises `Failed`."""
    if connection.vendor == "sqlite":
        return
    first = set(WorkerHeartbeat.objects.values_list("name", "at"))
    if first:
        time.sleep(_ALIVE_SECONDS)
    if beating := {name for name, at in set(WorkerHeartbeat.objects.values_list("name", "at")) - first}:
        raise Failed(f"Servers still work on this database ({', '.join(sorted(beating))}). Stop all of them first.")
