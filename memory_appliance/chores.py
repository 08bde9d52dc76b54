"""Chore: a look at the server that takes longer than a page may, beside the requests of one process.

It needs neither broker nor worker, so that it also runs when these are what does not work. Its state is a file that
every web process reads; whether it runs is a lock that the kernel releases when its process dies.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.db import connections
from django.utils import timezone

from agents.core.errors import RuleError
from search.errors import SearchError

logger = logging.getLogger(__name__)

_TRIES, _PAUSE = 5, 0.02
"""A look whether it runs holds the lock for a moment: whoever starts tries again."""


@dataclass(frozen=True, slots=True)
class ChoreState:
    """`lines`: what has come so far; `now`: what is being done; `error`: why it ended before its end."""

    subject: str
    running: bool
    started_at: datetime
    ended_at: datetime | None = None
    now: str = ""
    lines: tuple[dict[str, Any], ...] = ()
    error: str = ""


class Report:
    """What the work tells while it goes on; each word is seen by the next page that asks."""

    def __init__(self, path: Path, subject: str) -> None:
        self._path = path
        self.state = ChoreState(subject, running=True, started_at=timezone.now())
        self._write()

    def doing(self, words: str) -> None:
        self.state = replace(self.state, now=words)
        self._write()

    def line(self, values: dict[str, Any]) -> None:
        self.state = replace(self.state, lines=(*self.state.lines, values))
        self._write()

    def end(self, error: str = "") -> None:
        self.state = replace(self.state, running=False, ended_at=timezone.now(), now="", error=error)
        self._write()

    def _write(self) -> None:
        beside = self._path.with_name(f".{secrets.token_hex(8)}")
        beside.write_text(json.dumps(asdict(self.state), default=lambda moment: moment.isoformat()))
        beside.replace(self._path)


Work = Callable[[Report], None]


class Chore:
    """One at a time on this server, whichever web process it was started in."""

    def __init__(self, name: str) -> None:
        self._name = name

    def start(self, work: Work, *, subject: str = "") -> Thread | None:
        """None when it runs already. Raises OSError where the data folder cannot be written."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = self._take(fcntl.LOCK_EX)
        if lock is None:
            return None
        try:
            thread = Thread(
                target=self._carry_out, args=(work, Report(self._path, subject), lock), name=self._name, daemon=True
            )
            thread.start()
        except BaseException:
            os.close(lock)
            raise
        return thread

    def state(self) -> ChoreState | None:
        """The last one, or the one that runs; None when there never was one."""
        state = self._read()
        if state is None or not state.running or self._is_held():
            return state
        state = self._read()  # it may have ended between the two looks
        if state is None or not state.running:
            return state
        return replace(state, running=False, error="The server was stopped while this was going on.")

    def _read(self) -> ChoreState | None:
        try:
            values = json.loads(self._path.read_text())
            ended = values["ended_at"]
            moments = {
                "started_at": datetime.fromisoformat(values["started_at"]),
                "ended_at": datetime.fromisoformat(ended) if ended else None,
            }
            return ChoreState(**{**values, **moments, "lines": tuple(values["lines"])})
        except (OSError, ValueError, LookupError, TypeError):
            return None

    @property
    def _folder(self) -> Path:
        return Path(settings.MEMORY_LOCAL_DIR) / "run" / "chores"

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._name}.json"

    def _carry_out(self, work: Work, report: Report, lock: int) -> None:
        try:
            with _told(report, self._name):
                work(report)
        finally:
            os.close(lock)
            connections.close_all()

    def _take(self, kind: int) -> int | None:
        handle = os.open(self._folder / f"{self._name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        for _ in range(_TRIES):
            try:
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_PAUSE)
            else:
                return handle
        os.close(handle)
        return None

    def _is_held(self) -> bool:
        handle = self._take(fcntl.LOCK_SH)
        if handle is not None:
            os.close(handle)
        return handle is None


@contextmanager
def _told(report: Report, name: str) -> Iterator[None]:
    try:
        yield
    except (RuleError, SearchError) as error:
        report.end(f"{error.message} {error.hint}".strip())
    except Exception as error:
        # Whoever looks at the page reads one line; the log has the rest.
        logger.exception("%s ended before its end", name)
        report.end(f"Unexpected {type(error).__name__}; see the server's log.")
    else:
        report.end()
