"""Tidy: once a night, forget old runs, log lines and recall events, and remove indexes that no agent owns any more."""

from __future__ import annotations

import logging

from agents.audit import prune_audit
from agents.recall_events import prune_recall_events
from agents.runs import prune_runs
from agents.services import remove_orphan_indexes
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="workers.tidy")
def tidy() -> None:
    runs, events, indexes = prune_runs(), prune_audit(), remove_orphan_indexes()
    logger.info("forgotten: %d old runs, %d lines of the log, %d indexes without an agent", runs, events, len(indexes))
    logger.info("forgotten: %d recall events", prune_recall_events())
