"""Versions: what this Python and its libraries really are, and whether they can do what the appliance needs."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from agents.core.version import VERSION
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.index.driver import capabilities
from search.sentences import sentence

_LEAST_SQLITE = (3, 43)


def _look(visit: Visit) -> Looking:
    found = capabilities()
    parts = [
        f"memory appliance {VERSION}",
        f"Python {platform.python_version()}",
        f"Django {version('django')}",
        f"SQLite {found.sqlite} for indexes, {sqlite3.sqlite_version} for the control database",
        f"sqlite-vec {_version('sqlite-vec')}",
        f"llama-cpp-python {_version('llama-cpp-python')}",
    ]
    yield Seen("ok", ", ".join(parts))
    if tuple(int(part) for part in found.sqlite.split(".")[:2]) < _LEAST_SQLITE:
        yield Seen(
            "problem",
            sentence("SQLite {sqlite} is too old.", sqlite=found.sqlite),
            sentence("Set up the environment again: make setup."),
            "sqlite",
        )
    if not found.fts5:
        yield Seen(
            "problem",
            sentence("SQLite has no FTS5: no search by words."),
            sentence("Set up the environment again."),
            "fts5",
        )
    if not found.vec:
        yield Seen(
            "warning",
            sentence(
                "sqlite-vec does not load ({vec_error}): numpy compares vectors, alike but more slowly.",
                vec_error=found.vec_error,
            ),
            sentence("Set up the environment again: make setup."),
            "vec",
        )
    if find_spec("llama_cpp") is None:
        yield Seen(
            "warning",
            sentence("The runtime of local models is not installed."),
            sentence("It is built beside the running server, minutes of work; by hand: make models."),
            "llama",
        )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"


VERSIONS = Check("versions", "Versions", _look)
