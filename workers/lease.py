"""Lease: a run held by one thread of one worker; its progress keeps it, a dead worker loses it."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid

from django.conf import settings

from agents.jobs.runs import heartbeat, is_cancel_requested
from agents.models import Run
from search.index.report import Progress
from workers.jobs import JOBS
from workers.stopping import STOPPING

REPORT_SECONDS = 1.0

PLACE = settings.MEMORY_SERVER_NAME or socket.gethostname()[:40]
"""This server among several, or the machine of the only one."""

PROCESS = f"{PLACE}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
"""This process among all that ever ran here: the place, the process id, and a number that no restart repeats."""


def owner() -> str:
    """This thread, in this process, on this machine; never the same again after a restart."""
    return f"{PROCESS}:{threading.get_native_id()}"


class Lease:
    """The engine's two callbacks, `progress` and `cancelled`, as seen from the control database.

    Both may be called as often as the engine likes: the row is touched at most once a second.
    """

    def __init__(self, run: Run, *, first: int = 0) -> None:
        """`first`: units done before this bout, so that progress goes on instead of starting again."""
        self._run = run
        self._first = first
        self._progress = (run.done, run.total, run.unit)
        self._reported_at = self.began = time.monotonic()
        self.lost = False
        self.cancel_requested = False

    def progress(self, report: Progress) -> None:
        self._progress = (self._first + report.done, self._first + report.total, report.unit)
        self._report_now_and_then()

    def cancelled(self) -> bool:
        """True when the owner cancelled, when another worker has the run, or when this worker is to stop."""
        self._report_now_and_then()
        return self.lost or self.cancel_requested or STOPPING.is_set()

    def report(self) -> None:
        """Write the progress and extend the lease."""
        self._reported_at = time.monotonic()
        done, total, unit = self._progress
        held = heartbeat(
            self._run.pk,
            owner=self._run.lease_owner,
            done=done,
            total=total,
            unit=unit,
            lease_seconds=JOBS[Run.Kind(self._run.kind)].lease_seconds,
        )
        self.lost = not held
        self.cancel_requested = held and is_cancel_requested(self._run.pk)

    def _report_now_and_then(self) -> None:
        if time.monotonic() - self._reported_at >= REPORT_SECONDS:
            self.report()
