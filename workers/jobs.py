"""JOBS: the one table of background jobs. Tasks, queues, slots, leases, threads and words are all drawn from it.

The launcher reads it too, before there are any settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from agents.columns.job_kinds import Kind
from workers.queues import EMBED, INDEX

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Job:
    """`slots`: how many of the kind one worker does at a time. `lease_seconds`: how long it may be silent, which is
    longer than its longest step. `words`: its name on the pages, to be translated."""

    kind: Kind
    queue: str
    slots: int
    lease_seconds: int
    words: StrOrPromise

    @property
    def task(self) -> str:
        return f"workers.{self.kind.value}"


JOBS = {
    job.kind: job
    for job in (
        Job(Kind.UPDATE, INDEX, slots=2, lease_seconds=60, words=gettext_lazy("Update")),
        Job(Kind.REBUILD, INDEX, slots=1, lease_seconds=120, words=gettext_lazy("Rebuild")),
        Job(Kind.EMBED, EMBED, slots=1, lease_seconds=180, words=gettext_lazy("Vectors")),
        Job(Kind.PULL, EMBED, slots=1, lease_seconds=180, words=gettext_lazy("Download")),
        Job(Kind.BACKUP, EMBED, slots=1, lease_seconds=600, words=gettext_lazy("Backup")),
        Job(Kind.REVIEW, INDEX, slots=1, lease_seconds=120, words=gettext_lazy("Review of the notes")),
    )
}

ROUNDS = ("sweep", "tidy", "consolidate", "activity")
"""Work that no run stands for. Each has a thread, so that the sweep never waits behind jobs or a long night."""

TASKS = (*(kind.value for kind in JOBS), *ROUNDS)
"""The modules in workers/tasks that hold what Celery may be asked for."""

THREADS = sum(job.slots for job in JOBS.values()) + len(ROUNDS)
"""Of a worker."""
