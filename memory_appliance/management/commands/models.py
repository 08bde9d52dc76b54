"""`manage.py models list|pull|use|remove|test`: exit code 0 done, 1 failed with one clear line, 2 usage."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.core.errors import RuleError
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.models.listing import show_models
from memory_appliance.management.models.pull import pull
from memory_appliance.management.models.test import test
from memory_appliance.management.models.use import remove, use
from memory_appliance.management.unusable import unusable
from search.errors import SearchError

_ROLES = ("embed", "rerank", "generate")
_NAME = "registry id, set, hf:owner/repo/file.gguf, or the path of a .gguf file"


class Command(BaseCommand):
    help = "Look at, download, choose, remove and try the models that embed, rerank and write."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="list|pull|use|remove|test")
        for name, text in (
            ("list", "the registry, what is there, who uses it, what it takes in memory"),
            ("pull", "download a model or a set; a download that was interrupted goes on"),
            ("use", "choose a model, a set or a provider, for the server or for one agent"),
            ("remove", "delete a model's file"),
            ("test", "really ask a model: dimension and time"),
        ):
            kind = kinds.add_parser(name, help=text, description=text)
            kind.add_argument("--json", action="store_true", dest="as_json")
            getattr(self, f"_add_{name}")(kind)

    def _add_list(self, parser: CommandParser) -> None:
        """Nothing of its own."""

    def _add_pull(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=_NAME)

    def _add_use(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=f"{_NAME}; or provider, or provider:model")
        parser.add_argument("--role", choices=_ROLES)
        parser.add_argument("--agent", metavar="SLUG")

    def _add_remove(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=_NAME)
        parser.add_argument("--force", action="store_true", help="also while it is in use")

    def _add_test(self, parser: CommandParser) -> None:
        parser.add_argument("choice", nargs="?", help="provider or provider:model; else what is set")
        parser.add_argument("--role", choices=_ROLES)
        parser.add_argument("--agent", metavar="SLUG")

    def handle(self, *args: Any, kind: str, as_json: bool, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        try:
            if kind == "list":
                show_models(output)
            elif kind == "pull":
                pull(output, name=options["name"])
            elif kind == "use":
                use(output, name=options["name"], role=options["role"], agent=options["agent"])
            elif kind == "remove":
                remove(output, name=options["name"], force=options["force"])
            else:
                test(output, choice=options["choice"], role=options["role"], agent=options["agent"])
        except (RuleError, SearchError) as error:
            self._fail(f"{error.message.rstrip('.')}. {error.hint}".strip())
        except Failed as error:
            self._fail(str(error))
        except DatabaseError as error:
            self._fail(unusable(error))

    def _fail(self, line: str) -> NoReturn:
        self.stderr.write(f"error: {line}")
        sys.exit(1)
