"""dispatch(): tell the workers at once that a run waits for them. A hint, never the only trace of the wish."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError

from agents.jobs.runs import mark_dispatched
from agents.locking.waiting import turn
from agents.models import Run
from workers.app import app
from workers.jobs import JOBS, Job
from workers.queues import CONTROL, queue_name

logger = logging.getLogger(__name__)


def dispatch(run: Run) -> bool:
    """Send the message for `run`; False, within about a second, when the broker cannot be reached.

    Nothing is lost then: the run is a row, and the sweep sends it as soon as the broker is back. A broker that hangs is
    asked by one request at a time, and not again for some seconds.
    """
    job = JOBS[Run.Kind(run.kind)]
    try:
        with turn("broker") as free:
            if not free:
                return False
            app.send_task(job.task, args=[run.pk], queue=_queue(run, job), retry=False, ignore_result=True)
    except OperationalError as error:
        logger.warning("the broker cannot be reached; run %s waits for the sweep: %s", run.pk, error)
        return False
    mark_dispatched(run)
    return True


def _queue(run: Run, job: Job) -> str:
    """What is about one server's own disk goes to that server."""
    return queue_name(CONTROL, run.server) if run.server else job.queue
