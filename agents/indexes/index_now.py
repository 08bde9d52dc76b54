"""index_now(): what was just written is found by its words before the answer goes out."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from typing import Literal

from django.utils import timezone

from agents.core.agent_settings import memory_on
from agents.indexes.following import catch_up
from agents.indexes.specs import embedding_spec, index_spec
from agents.locking.waiting import soon
from agents.models import Agent, Change
from agents.servers.common_vectors import forget_vectors
from agents.servers.generations import generation, note, several
from search.errors import SearchError
from search.index.update_files import Forgotten, count_rows, forget_files, update_files
from search.sentences import sentence

logger = logging.getLogger(__name__)

LOCK_SECONDS = 1.0
"""Embedding holds an index for moments; a longer holder is a job that will see the new files itself."""
FORGET_LOCK_SECONDS = 10.0


def index_now(agent: Agent, paths: Collection[str]) -> bool:
    """Index these workspace files here and now, by words; their vectors are left to the workers.

    False when the index is busy or cannot be written. Then, as whenever the memory rests, the wish for an update is
    written down and the workers carry it out.
    """
    if not memory_on(agent.settings):
        return False
    if several():
        agent.generation = generation(agent.pk)
        return catch_up(agent, lambda: None, seconds=LOCK_SECONDS) or _later(
            agent, sentence("its index is busy or being made")
        )
    spec = index_spec(agent)
    if not spec.path.exists():  # the other files are missing as well
        Agent.objects.filter(pk=agent.pk).update(update_requested_at=timezone.now())
    try:
        report = soon(agent.slug, LOCK_SECONDS, lambda: update_files(spec, paths))
    except SearchError as error:
        return _later(agent, error.message)
    if report.pending:
        Agent.objects.filter(pk=agent.pk).update(pending_embeddings=report.pending)
    return True


def forget_now(agent: Agent, paths: Collection[str], *, all_unused: bool = False) -> Forgotten | None:
    """Take out of the index, and out of its cached vectors, what these files no longer hold. None: done later.

    `all_unused`: the vectors that no chunk needs go, whichever file they were of.
    """
    try:
        spec = embedding_spec(agent)
        return soon(agent.slug, FORGET_LOCK_SECONDS, lambda: forget_files(spec, paths, all_unused=all_unused))
    except SearchError as error:
        _later(agent, error.message)
        forget_vectors(agent)  # of which texts they are, only the index could tell
        return None
    finally:
        note(agent.pk, paths, what=Change.What.FORGOTTEN)


def rows_of(agent: Agent, lines: Iterable[tuple[str, int, int]]) -> int:
    """Chunks that the index holds of these lines: path, first, last."""
    return count_rows(index_spec(agent), lines)


def _later(agent: Agent, reason: str) -> Literal[False]:
    logger.info("%s is indexed later: %s", agent.slug, reason)
    Agent.objects.filter(pk=agent.pk).update(update_requested_at=timezone.now())
    return False
