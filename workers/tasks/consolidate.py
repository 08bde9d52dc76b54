"""Consolidate: once a night, promote the notes that searches kept using; and let old transcripts go."""

from __future__ import annotations

import logging

from agents.flush.working import drop_all_old_states
from agents.servers.nightly import may_forget, my_night
from agents.transcripts import prune_transcripts
from agents.upkeep.consolidation import consolidate_all
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="workers.consolidate")
def consolidate() -> None:
    if not my_night("consolidate"):
        return
    logger.info("promoted: %d notes", consolidate_all())
    if may_forget("consolidate"):
        logger.info("forgotten: %d parts of transcripts", prune_transcripts())
        logger.info("forgotten: %d lines that were so only for now", drop_all_old_states())
