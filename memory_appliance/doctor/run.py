"""run_doctor(): every check in turn, each finding as soon as it is there."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from django.db import DatabaseError, connection

from agents.core.errors import RuleError
from memory_appliance.doctor.check import Check, Seen, Visit
from memory_appliance.doctor.checks import CHECKS
from memory_appliance.doctor.database import database_problem
from memory_appliance.doctor.finding import Finding
from search.errors import SearchError
from search.sentences import sentence


def run_doctor(
    *, agent: str = "", quick: bool = False, starting: Callable[[str], None] = lambda title: None
) -> Generator[Finding, None, None]:
    """Safe on a live system, and of use on one that is down. `starting` is told the title of each check before it.

    Whoever stops reading should close the iterator: then the canary is taken away at once. Raises `NotFound` for an
    agent that does not exist.
    """
    visit = Visit(agent, quick)
    database = database_problem()
    for check in CHECKS:
        if quick and not check.in_quick:
            continue
        starting(check.title)
        if check.needs_database and database:
            yield Finding(check.id, check.title, "skipped", f"The control database cannot be read: {database}.")
        else:
            yield from _findings(check, visit)


def _findings(check: Check, visit: Visit) -> Iterator[Finding]:
    began = time.monotonic()
    looking = check.look(visit)
    with closing(looking):
        while (seen := _next(looking)) is not None:
            now = time.monotonic()
            yield _finding(check, seen, now - began)
            began = now


def _next(looking: Iterator[Seen]) -> Seen | None:
    try:
        return next(looking, None)
    except (RuleError, SearchError) as error:
        return Seen("problem", error.message, error.hint)
    except (DatabaseError, sqlite3.Error) as error:
        connection.close()
        return Seen(
            "problem",
            sentence("The control database failed: {error}.", error=error),
            sentence("See the finding about the control database."),
        )
    except OSError as error:
        return Seen(
            "problem",
            f"{error.filename or 'The system'}: {error.strerror or error}.",
            sentence("See the server's logs."),
        )


def _finding(check: Check, seen: Seen, seconds: float) -> Finding:
    return Finding(
        f"{check.id}.{seen.part}" if seen.part else check.id,
        seen.title or check.title,
        seen.level,
        seen.seen,
        seen.todo,
        round(seconds, 3),
    )
