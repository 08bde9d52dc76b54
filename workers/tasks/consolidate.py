"""Consolidate: once a night, promote the notes that searches kept using; and let old transcripts go."""

from __future__ import annotations

import logging

from agents.consolidation import consolidate_all
from agents.transcripts import prune_transcripts
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="workers.consolidate")
def consolidate() -> None:
    logger.info("promoted: %d notes; forgotten: %d parts of transcripts", consolidate_all(), prune_transcripts())
