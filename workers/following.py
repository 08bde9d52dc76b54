"""Once a minute the worker sees that the indexes on this server's disk follow what other servers wrote."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import worker_ready
from django.db import DatabaseError, connection

from agents.indexes.following import follow_all
from agents.memory.reads import embedding_identity
from agents.servers.generations import several
from workers.stopping import STOPPING

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 60.0


@worker_ready.connect
def _start(**_: Any) -> None:
    if several():
        threading.Thread(target=_follow, name="following", daemon=True).start()


def _follow() -> None:
    while not STOPPING.wait(PERIOD_SECONDS):
        try:
            follow_all(embedding_identity, STOPPING)
        except DatabaseError as error:
            logger.warning("indexes could not follow what other servers wrote: %s", error)
            connection.close()
