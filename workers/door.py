"""work_on(): the door every job goes through: claim the run, do the one thing, end it or hand it back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from agents.core.telemetry import telemetry
from agents.jobs.runs import claim, finish, request_run, requeue
from agents.models import Agent, Run
from agents.upkeep.snapshots import take_snapshot
from search.errors import Cancelled, EmbedderUnavailable, IndexBusy, IndexDamaged, IndexUnavailable, SearchError
from search.index.rebuild import remove_index
from search.sentences import sentence
from search.spec import IndexSpec
from workers.dispatch import dispatch
from workers.jobs import JOBS
from workers.lease import Lease, owner
from workers.stopping import STOPPING

logger = logging.getLogger(__name__)

BUSY_SECONDS = 2.0
"""Until a run whose index another job holds is tried again."""
MODEL_SECONDS = 10.0
"""Until a run whose model cannot answer is tried again: it may still be building."""
DISK_SECONDS = 60.0
"""Until vectors that could not be written, above all for want of disk space, are tried again."""

SLOTS = {kind: BoundedSemaphore(job.slots) for kind, job in JOBS.items()}
"""Jobs of a kind at once in this worker: fewer than it has threads, so the sweep and the next update never wait."""

Job = Callable[[Run, Lease], dict[str, Any]]


class HandBack(Exception):
    """The job has done its part but not all of it: the run waits again, for `delay_seconds` at least."""

    def __init__(self, reason: str = "", *, delay_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.delay_seconds = delay_seconds


def work_on(run_id: int, kind: str, job: Job) -> None:
    """Do `job` on the run, unless the run is gone or another's, or as many jobs of its kind run here as may.

    In that last case the run stays queued, and whoever frees the slot sends the one that has waited longest.
    """
    slot = SLOTS[Run.Kind(kind)]
    if STOPPING.is_set() or not slot.acquire(blocking=False):
        return
    try:
        run = claim(run_id, owner=owner(), lease_seconds=JOBS[Run.Kind(kind)].lease_seconds)
        if run is not None:
            _carry_out(run, job)
    finally:
        slot.release()
    _send_next(kind)


def _carry_out(run: Run, job: Job) -> None:
    lease = Lease(run, first=run.done if run.kind == Run.Kind.EMBED else 0)
    try:
        result = job(run, lease)
    except HandBack as wish:
        _note_index(run)
        _hand_back(run, lease, wish.delay_seconds, wish.reason)
    except Cancelled:
        if STOPPING.is_set() and not lease.cancel_requested:
            _hand_back(run, lease, 0.0, "")
        else:
            _end(run, lease, Run.State.CANCELLED)
    except IndexBusy:
        _hand_back(run, lease, BUSY_SECONDS, sentence("Another job is writing this index."))
    except EmbedderUnavailable as error:
        _hand_back(run, lease, max(MODEL_SECONDS, error.wait_seconds), error.advice())
    except IndexDamaged as error:
        _hand_back(run, lease, BUSY_SECONDS, error.advice())
        dispatch(request_run(agent=run.index_agent, kind=Run.Kind.UPDATE, reason="damage"))
    except IndexUnavailable as error:
        _not_written(run, lease, error)
    except SearchError as error:
        _end(run, lease, Run.State.FAILED, error=error.advice())
    except Exception as error:
        # The worker goes on, the owner reads one line, and Celery logs the traceback.
        _end(
            run,
            lease,
            Run.State.FAILED,
            error=sentence("Unexpected {kind}; see the worker's log.", kind=type(error).__name__),
        )
        raise
    else:
        _end(run, lease, Run.State.DONE, result)


def _not_written(run: Run, lease: Lease, error: IndexUnavailable) -> None:
    """A full disk or a read-only folder: vectors wait for its end, an update is due again by itself anyway."""
    if run.kind == Run.Kind.UPDATE:
        _end(run, lease, Run.State.FAILED, error=error.advice())
    else:
        _hand_back(run, lease, DISK_SECONDS, error.advice())


def _hand_back(run: Run, lease: Lease, delay_seconds: float, reason: str) -> None:
    lease.report()
    requeue(run.pk, owner=run.lease_owner, delay_seconds=delay_seconds, error=reason)
    _count(run, lease, "handed_back")


def _end(run: Run, lease: Lease, state: str, result: dict[str, Any] | None = None, error: str = "") -> None:
    lease.report()
    _note_index(run)
    finish(run.pk, owner=run.lease_owner, state=state, result=result or {}, error=error)
    _count(run, lease, state)
    logger.info("%s of %s: %s", run.kind, run.agent_slug or run.subject, error or state)


def _note_index(run: Run) -> None:
    """What the pages show of the index, before the run's own end tells them to look."""
    if run.agent is not None:
        take_snapshot(run.agent)


def _count(run: Run, lease: Lease, state: str) -> None:
    telemetry().job_ended(kind=run.kind, state=state, seconds=time.monotonic() - lease.began)


def forget_if_deleted(run: Run, spec: IndexSpec) -> None:
    """An agent that was deleted while its index was written leaves no index behind."""
    if not Agent.objects.filter(pk=run.index_agent.pk).exists():
        remove_index(spec.path)


def _send_next(kind: str) -> None:
    """Agents take turns: the waiting run that was worked on longest ago comes next."""
    due = Q(not_before__isnull=True) | Q(not_before__lte=timezone.now())
    waiting = Run.objects.filter(due, kind=kind, state=Run.State.QUEUED)
    following = waiting.order_by(F("started_at").asc(nulls_first=True), "pk").first()
    if following is not None and not STOPPING.is_set():
        dispatch(following)
