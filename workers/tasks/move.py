"""Move: carry on with an agent's way to this node, put an old copy aside, or tidy up after what was given up."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from threading import BoundedSemaphore

from django.db import OperationalError, connection
from django.db.models import Q
from django.utils import timezone

from agents.models import AgentMove
from agents.nodes.moves import note_problem
from agents.nodes.source import put_aside
from agents.nodes.target import carry_on, clean_up
from workers.app import app
from workers.lease import owner
from workers.stopping import STOPPING

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
RENEW_SECONDS = 3.0

_SLOT = BoundedSemaphore(1)
"""One at a time in this worker: moving two agents together would make both slower."""


@app.task(name="workers.move")
def move(move_id: int) -> None:
    if STOPPING.is_set() or not _SLOT.acquire(blocking=False):
        return
    try:
        with Held(move_id) as held:
            row = AgentMove.objects.select_related("agent", "source").filter(pk=move_id).first()
            if held and row is not None:
                _next_step(row, held)
    except OperationalError as error:
        logger.warning("the control database went away; the move goes on when its lease is over: %s", error)
        connection.close()
    finally:
        _SLOT.release()


def _next_step(row: AgentMove, held: Held) -> None:
    try:
        if row.step == AgentMove.Step.ASIDE:
            put_aside(row)
        elif row.step == AgentMove.Step.FAILED:
            clean_up(row)
        else:
            carry_on(row, held.still)
    except OSError as error:
        logger.warning("the old copy of %s cannot be put aside: %s", row.agent.slug, error)
        note_problem(row, f"{error.filename} cannot be put aside: {error.strerror}")


class Held:
    """The move is this thread's, kept by a second thread as long as the process lives: its steps can be long."""

    def __init__(self, move_id: int) -> None:
        self._owner = owner()
        self._row = AgentMove.objects.filter(pk=move_id)
        self._over = threading.Event()
        self._lost = False
        self._taken = False

    def __bool__(self) -> bool:
        return self._taken

    def __enter__(self) -> Held:
        now = timezone.now()
        free = self._row.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now))
        self._taken = bool(free.update(lease_owner=self._owner, lease_until=now + LEASE))
        if self._taken:
            threading.Thread(target=self._keep, name="move", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._row.filter(lease_owner=self._owner).update(lease_owner="", lease_until=None)

    def still(self) -> bool:
        return not self._lost and not STOPPING.is_set()

    def _keep(self) -> None:
        try:
            while not self._over.wait(RENEW_SECONDS):
                mine = self._row.filter(lease_owner=self._owner)
                self._lost = not mine.update(lease_until=timezone.now() + LEASE)
        finally:
            connection.close()
