"""Tidy: once a night, forget old runs and denials, and remove indexes that no agent owns any more."""

from __future__ import annotations

import logging

from agents.audit import prune_denials
from agents.runs import prune_runs
from agents.services import remove_orphan_indexes
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="workers.tidy")
def tidy() -> None:
    runs, denials, indexes = prune_runs(), prune_denials(), remove_orphan_indexes()
    logger.info("forgotten: %d old runs, %d denials, %d indexes without an agent", runs, denials, len(indexes))
