"""`manage.py export AGENT FOLDER`: one agent's Markdown as it is, and how it is set up as JSON, in a plain folder."""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.core.actors import CLI
from agents.core.errors import RuleError
from agents.files.export import write_export
from agents.models import Collection
from agents.registry.selectors import get_agent
from memory_appliance.management.counted import counted
from memory_appliance.management.memory.output import Output
from memory_appliance.management.unusable import unusable


class Command(BaseCommand):
    help = "Write one agent's Markdown and its set-up (agent.json) into a folder that is not there yet, or is empty."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", metavar="AGENT")
        parser.add_argument("folder", metavar="FOLDER", type=Path)

    def handle(self, *args: Any, agent: str, folder: Path, **options: Any) -> None:
        try:
            row = get_agent(agent)
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                self._fail(f"{folder} is there already. Name a folder that is new or empty.")
            # The same content as GET …/export, which is a zip file because one answer is one file.
            with tempfile.TemporaryFile() as file:
                count = write_export(agent=row, actor=CLI, file=file)
                with zipfile.ZipFile(file) as archive:
                    archive.extractall(folder)
        except RuleError as error:
            self._fail(f"{error.message} {error.hint}".strip())
        except OSError as error:
            self._fail(f"{error.filename or folder}: {error.strerror}. Nothing is promised of what is there now.")
        except DatabaseError as error:
            self._fail(unusable(error))
        self.stdout.write(f"{counted(count, 'Markdown file')} and agent.json are in {folder}.")
        about = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
        elsewhere = [one for one in about["collections"] if one["kind"] == Collection.Kind.CUSTOM]
        for line in (*(f"collection {one['name']}: {one['path']}" for one in elsewhere), *about["left_out"]):
            Output(self.stdout, self.stderr).remark(f"left out: {line}")

    def _fail(self, line: str) -> None:
        self.stderr.write(f"error: {line}")
        sys.exit(1)
