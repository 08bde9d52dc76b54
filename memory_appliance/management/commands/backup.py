"""`manage.py backup [list|verify|remove]`: exit code 0 done, 1 failed with one clear line, 2 usage."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.backup import (
    Backup,
    BackupError,
    Progress,
    list_backups,
    make_backup,
    remove_backup,
    thin_out,
    verify_backup,
)
from agents.backup.catalog import LATEST
from agents.backup.values import ReportProgress
from memory_appliance.management.counted import counted
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.unusable import unusable
from search.errors import SearchError

_EVERY_SECONDS = 2.0


class Command(BaseCommand):
    help = "Make, list, verify and remove backups. Safe while the server runs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", nargs="?", default="make", choices=["make", "list", "verify", "remove"])
        parser.add_argument("name", nargs="?", default=LATEST, help=f"which one to verify or remove; `{LATEST}`")
        parser.add_argument("--to", type=Path, metavar="FOLDER", help="folder of backups, else MEMORY_BACKUP_DIR")
        parser.add_argument("--with-secrets", action="store_true", help="provider keys, the session key, sessions")
        parser.add_argument(
            "--with-indexes", action="store_true", default=None, help="indexes too, for the sake of their vectors"
        )
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: Any, action: str, name: str, to: Path | None, as_json: bool, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        folder = to.absolute() if to else None
        try:
            if action == "list":
                _list(output, folder)
            elif action == "verify":
                _verify(output, name, folder)
            elif action == "remove":
                _remove(output, name, folder)
            else:
                _make(output, folder, with_secrets=options["with_secrets"], with_indexes=options["with_indexes"])
        except (BackupError, SearchError) as error:
            self._fail(f"{error.message} {error.hint}".strip())
        except Failed as error:
            self._fail(str(error))
        except DatabaseError as error:
            self._fail(unusable(error))

    def _fail(self, line: str) -> None:
        self.stderr.write(f"error: {line}")
        sys.exit(1)


def told_progress(output: Output) -> ReportProgress:
    """A line on stderr for every new step, and every few seconds."""
    step, at = "", 0.0

    def tell(progress: Progress) -> None:
        nonlocal step, at
        now = time.monotonic()
        if output.as_json or (progress.step == step and now - at < _EVERY_SECONDS):
            return
        step, at = progress.step, now
        output.remark(f"… {progress.step}" + (f" {progress.done} of {progress.total}" if progress.total else ""))

    return tell


def _make(output: Output, folder: Path | None, *, with_secrets: bool, with_indexes: bool | None) -> None:
    made = make_backup(
        with_secrets=with_secrets, with_indexes=with_indexes, folder=folder, progress=told_progress(output)
    )
    removed = thin_out(folder=folder)
    if output.as_json:
        output.answer({**_shown(made), "removed": removed})
        return
    output.line(
        f"Backup {made.name}: {counted(made.files, 'file')}, {_size(made.size)}, of which {_size(made.added)} were "
        f"new; read back whole; {made.seconds:.1f} s."
    )
    if not made.with_secrets:
        output.line("Without secrets: provider keys and the key of web sessions are not in it (--with-secrets).")
    for line in made.left_out:
        output.remark(f"left out: {line}")
    for name in removed:
        output.line(f"Removed {name}, which is not wanted any more.")


def _list(output: Output, folder: Path | None) -> None:
    backups = list_backups(folder)
    if output.as_json:
        output.answer([_shown(backup) for backup in backups])
        return
    for one in backups:
        held = f"{counted(len(one.agents), 'agent')}, {counted(one.files, 'file')}"
        what = "control database only" if one.control_only else held
        extras = [word for word, there in (("secrets", one.with_secrets), ("indexes", one.with_indexes)) if there]
        with_extras = f", with {' and '.join(extras)}" if extras else ""
        output.line(f"{one.name}  {one.reason:<16}  {_size(one.size):>9}  {what}{with_extras}")
    if not backups:
        output.line("There is no backup yet: manage.py backup")


def _verify(output: Output, name: str, folder: Path | None) -> None:
    found = verify_backup(name, folder=folder, progress=told_progress(output))
    if output.as_json:
        output.answer({**asdict(found), "ok": found.ok})
    elif found.ok:
        output.line(f"{found.name} is whole: {counted(found.files, 'file')}, {_size(found.size)}.")
    for problem in () if output.as_json else found.problems:
        output.line(f"✗ {problem}")
    if not found.ok:
        raise Failed(f"{found.name} is damaged: {len(found.problems)} problems. Make another: manage.py backup.")


def _remove(output: Output, name: str, folder: Path | None) -> None:
    if name == LATEST:
        raise Failed("Which one? Name it: manage.py backup list shows them.")
    freed = remove_backup(name, folder=folder)
    if output.as_json:
        output.answer({"removed": name, "freed": freed})
    else:
        output.line(f"{name} is removed; {_size(freed)} freed.")


def _shown(backup: Backup) -> dict[str, Any]:
    values = asdict(backup)
    del values["listing"]
    return values


def _size(count: int) -> str:
    for unit, size in (("GB", 1024**3), ("MB", 1024**2)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1024:.0f} kB"
