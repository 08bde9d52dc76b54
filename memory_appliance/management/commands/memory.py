"""`manage.py memory …`: exit code 0 done, 1 failed with one clear line, 2 usage."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from agents.core.errors import RuleError
from agents.imports import TOOLS
from agents.memory.reads import MAX_RESULTS, SearchParams
from agents.memory.recall import RecallParams
from memory_appliance.management.memory.get import get
from memory_appliance.management.memory.index import index
from memory_appliance.management.memory.note import note
from memory_appliance.management.memory.output import Failed, Output
from memory_appliance.management.memory.recall import recall
from memory_appliance.management.memory.search import search
from memory_appliance.management.memory.status import status
from memory_appliance.management.memory.take_over import take_over
from memory_appliance.management.unusable import unusable
from search.errors import SearchError


class Command(BaseCommand):
    help = "Look at, index, search, read and add to the memory of agents, with or without a running server."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="status|index|search|get|recall|note|import")
        for name, text in (
            ("status", "what is indexed, what waits, what is wrong"),
            ("index", "bring the index in line with the files, and embed when a model answers"),
            ("search", "search as the owner"),
            ("get", "read lines of a file"),
            ("recall", "what would be recalled for a message"),
            ("note", "write something down as the owner"),
            ("import", "take over what another tool has: notes, and conversations as transcripts"),
        ):
            kind = kinds.add_parser(name, help=text, description=text)
            kind.add_argument("--agent", metavar="SLUG")
            kind.add_argument("--json", action="store_true", dest="as_json")
            getattr(self, f"_add_{name}")(kind)

    def _add_status(self, parser: CommandParser) -> None:
        """Nothing of its own."""

    def _add_index(self, parser: CommandParser) -> None:
        parser.add_argument("--rebuild", action="store_true", help="build the whole index again")
        parser.add_argument("--no-embed", action="store_false", dest="embed", help="words only")

    def _add_search(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--mode", choices=["hybrid", "search", "vsearch", "query"])
        parser.add_argument("--max-results", type=_between(1, MAX_RESULTS), metavar="N")
        parser.add_argument("--min-score", type=_share, metavar="0..1")
        parser.add_argument("--collection", action="append", dest="collections", metavar="NAME")
        parser.add_argument("--corpus", choices=["memory", "sessions", "all"], default="memory")
        parser.add_argument("--explain", action="store_true")

    def _add_get(self, parser: CommandParser) -> None:
        parser.add_argument("path", help="path, <collection>/<path>, or #docid")
        parser.add_argument("--from", type=_between(1, 10**9), default=1, dest="from_line", metavar="LINE")
        parser.add_argument("--lines", type=_between(1, 10**6), metavar="N")

    def _add_recall(self, parser: CommandParser) -> None:
        parser.add_argument("message")
        parser.add_argument("--mode", choices=["escalate", "always", "off"])
        parser.add_argument("--timeout-ms", type=_between(250, 120_000), metavar="MS")

    def _add_note(self, parser: CommandParser) -> None:
        parser.add_argument("text")
        parser.add_argument("--target", default="daily", help="daily, memory, user, or a path such as memory/shed.md")
        parser.add_argument("--importance", type=_between(1, 10), metavar="1..10")
        parser.add_argument("--trigger", action="append", default=[], dest="triggers", metavar="PHRASE")

    def _add_import(self, parser: CommandParser) -> None:
        parser.add_argument("source", choices=TOOLS, metavar="SOURCE", help=", ".join(TOOLS))
        parser.add_argument("path", help="a folder, a zip file or a JSON file")
        parser.add_argument("--preview", action="store_true", help="only say what would become what")

    def handle(self, *args: Any, kind: str, agent: str | None, as_json: bool, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        try:
            if kind == "status":
                status(output, agent=agent)
            elif kind == "index":
                index(output, agent=agent, rebuild=options["rebuild"], embed=options["embed"])
            elif kind == "search":
                search(output, agent=agent, params=_params(options))
            elif kind == "recall":
                params = RecallParams(options["message"], mode=options["mode"], timeout_ms=options["timeout_ms"])
                recall(output, agent=agent, params=params)
            elif kind == "note":
                names = ("text", "target", "importance", "triggers")
                note(output, agent=agent, **{name: options[name] for name in names})
            elif kind == "import":
                take_over(
                    output, agent=agent, source=options["source"], path=options["path"], preview=options["preview"]
                )
            else:
                get(output, agent=agent, path=options["path"], from_line=options["from_line"], lines=options["lines"])
        except (RuleError, SearchError) as error:
            self._fail(f"{error.message} {error.hint}".strip())
        except Failed as error:
            self._fail(str(error))
        except DatabaseError as error:
            self._fail(unusable(error))

    def _fail(self, line: str) -> NoReturn:
        self.stderr.write(f"error: {line}")
        sys.exit(1)


def _params(options: dict[str, Any]) -> SearchParams:
    collections = options["collections"]
    return SearchParams(
        query=options["query"],
        mode=options["mode"],
        max_results=options["max_results"],
        min_score=options["min_score"],
        collections=None if collections is None else tuple(collections),
        corpus=options["corpus"],
        explain=options["explain"],
    )


def _between(low: int, high: int) -> Any:
    def number(text: str) -> int:
        if not text.lstrip("-").isdigit() or not low <= int(text) <= high:
            raise ArgumentTypeError(f"{text} is not a whole number between {low} and {high}")
        return int(text)

    return number


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text} is not a number between 0 and 1")
    return value
