"""Tidy: once a night, forget what is old, remove indexes that no agent owns, and take care of those that remain.

What all servers share is forgotten by the first one to come; indexes are each server's own."""

from __future__ import annotations

import logging

from django.conf import settings

from agents.core.apart import apart
from agents.core.audit import prune_audit
from agents.core.paths import index_path
from agents.files.history import remove_orphan_histories
from agents.indexes.following import drop_stale_vectors, drop_unused_indexes
from agents.jobs.runs import prune_runs
from agents.memory.activity import prune_activity
from agents.memory.recall_events import prune_recall_events
from agents.memory.uses import prune_uses
from agents.models import Agent
from agents.registry.agents import remove_orphan_indexes
from agents.registry.canary import remove_left_canaries
from agents.servers.generations import prune_changes
from agents.servers.nightly import may_forget, my_night
from agents.workspace.tombstones import prune_tombstones
from search.errors import IndexBusy, IndexUnavailable
from search.index.maintain import maintain_index
from workers.app import app
from workers.stopping import STOPPING

logger = logging.getLogger(__name__)

LOCK_SECONDS = 2.0


@app.task(name="workers.tidy")
def tidy() -> None:
    if my_night("tidy"):
        if may_forget("tidy"):
            _forget()
        logger.info("removed: kept versions of %d agents that are gone", len(remove_orphan_histories()))
        remove_left_canaries()
    logger.info("removed: %d indexes of agents that are gone", len(remove_orphan_indexes()))
    options = settings.OPTIONS
    unused = drop_unused_indexes(days=options.local_index_days, gigabytes=options.local_index_gb)
    logger.info("removed: %d unused indexes", unused)
    _maintain_indexes()


def _forget() -> None:
    """What was kept for a time that is over."""
    logger.info("forgotten: %d old runs, %d lines of the log", prune_runs(), prune_audit())
    logger.info("forgotten: %d recall events, %d counts of finds", prune_recall_events(), prune_uses())
    logger.info("forgotten: %d tombstones, %d changes", prune_tombstones(), prune_changes())
    logger.info("forgotten: activity of %d hours", prune_activity())


def _maintain_indexes() -> None:
    """One after the other; what cannot be done tonight is done another night."""
    for agent in Agent.objects.only("pk", "slug").iterator():
        slug, path = agent.slug, index_path(agent.slug)
        if STOPPING.is_set() or not path.exists():
            continue
        with apart(slug, "taking care of its index"):
            try:
                dropped = maintain_index(path, lock_timeout=LOCK_SECONDS)
            except (IndexBusy, IndexUnavailable) as error:
                logger.warning("%s: %s", slug, error.advice())
            else:
                logger.info("%s: %d unused vectors dropped", slug, dropped + drop_stale_vectors(agent))
