"""`manage.py restore BACKUP`: the whole server, or one agent; exit code 0 done, 1 failed with one line, 2 usage."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.backup import find_backup
from agents.backup.catalog import LATEST
from agents.backup.restore import restore
from agents.backup.restore_agent import restore_agent
from agents.core.actors import CLI
from agents.core.errors import RuleError
from memory_appliance.boot.say import LaunchFailed
from memory_appliance.management.commands.backup import told_progress
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.stopped import server_stopped
from memory_appliance.management.unusable import unusable
from search.errors import SearchError


class Command(BaseCommand):
    help = "Bring back a backup: the whole server while it is stopped, or one agent while it runs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", help=f"its name, as manage.py backup list shows it, or `{LATEST}`")
        parser.add_argument("--from", type=Path, dest="folder", metavar="FOLDER", help="else MEMORY_BACKUP_DIR")
        parser.add_argument("--agent", metavar="SLUG", help="this agent alone")
        parser.add_argument("--force", action="store_true", help="replace what is there; it is kept, and named")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: Any, backup: str, folder: Path | None, as_json: bool, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        agent, force, progress = options["agent"], options["force"], told_progress(output)
        try:
            found = find_backup(backup, folder.absolute() if folder else None)
            if agent:
                done = restore_agent(found, agent, actor=CLI, force=force, progress=progress)
            else:
                with server_stopped():
                    done = restore(found, force=force, progress=progress)
        except (RuleError, SearchError, LaunchFailed) as error:
            self._fail(f"{error.message.rstrip('.')}. {error.hint}".strip())
        except Failed as error:
            self._fail(str(error))
        except DatabaseError as error:
            self._fail(unusable(error))
        if as_json:
            output.answer(asdict(done))
            return
        what = f"agent {agent}" if agent else f"{len(done.agents)} agents" if done.agents else "the control database"
        output.line(f"Restored {what} from {done.backup}.")
        if done.kept:
            output.line(f"What was there before is kept in {done.kept}: delete it when you are sure.")
        for remark in done.remarks:
            output.line(remark)
        output.line(
            "Its index follows within seconds."
            if agent
            else "Start the server: indexes are made again by themselves, people sign in again, keys work as before. "
            f"The options of then are in {settings.MEMORY_DATA_DIR}/settings-of-backup.env."
        )

    def _fail(self, line: str) -> None:
        self.stderr.write(f"error: {line}")
        sys.exit(1)
