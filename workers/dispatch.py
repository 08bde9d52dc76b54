"""dispatch(): tell the workers at once that a run waits for them. A hint, never the only trace of the wish."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError

from agents.models import AgentMove, Run
from agents.nodes.ownership import is_owned, own_name
from agents.runs import mark_dispatched
from agents.waiting import turn
from workers.app import app
from workers.jobs import JOBS
from workers.queues import CONTROL, of_node

logger = logging.getLogger(__name__)


def dispatch(run: Run) -> bool:
    """Send the message for `run`; False, within about a second, when the broker cannot be reached.

    Nothing is lost then: the run is a row, and the sweep sends it as soon as the broker is back. A broker that hangs is
    asked by one request at a time, and not again for some seconds. A run of an agent of another node is left to that
    node's sweep.
    """
    if run.agent is not None and not is_owned(run.agent):
        return True
    job = JOBS[Run.Kind(run.kind)]
    try:
        with turn("broker") as free:
            if not free:
                return False
            app.send_task(
                job.task, args=[run.pk], queue=of_node(job.queue, own_name()), retry=False, ignore_result=True
            )
    except OperationalError as error:
        logger.warning("the broker cannot be reached; run %s waits for the sweep: %s", run.pk, error)
        return False
    mark_dispatched(run)
    return True


MOVE_EXPIRES_SECONDS = 10
"""Every sweep says it again, so a message that nobody took up may go."""


def dispatch_move(move: AgentMove) -> None:
    """A move is taken up by the worker of this node; without a broker it waits for a later sweep."""
    try:
        app.send_task(
            "workers.move",
            args=[move.pk],
            queue=of_node(CONTROL, own_name()),
            expires=MOVE_EXPIRES_SECONDS,
            retry=False,
            ignore_result=True,
        )
    except OperationalError as error:
        logger.warning("the broker cannot be reached; the move of %s waits: %s", move.agent.slug, error)
