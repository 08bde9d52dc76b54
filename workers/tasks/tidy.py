"""Tidy: once a night, forget ended runs of long ago."""

from __future__ import annotations

import logging

from agents.runs import prune_runs
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="workers.tidy")
def tidy() -> None:
    logger.info("%d old runs forgotten", prune_runs())
