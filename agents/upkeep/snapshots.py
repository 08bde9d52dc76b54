"""take_snapshot(): write down what an agent's index holds now; whoever ends a job on the index does it."""

from __future__ import annotations

import logging

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.context import near_limits
from agents.core.errors import RuleError
from agents.memory import reads
from agents.models import Agent, IndexSnapshot
from search.errors import SearchError
from search.index.report import IndexStatus
from search.sentences import sentence

logger = logging.getLogger(__name__)

MOST_NOTES = 5
_USUAL = ("pending_embeddings", "no_index")
"""Shown by the numbers already."""


def take_snapshot(agent: Agent) -> IndexSnapshot | None:
    """None when the index cannot be read or the agent has gone meanwhile: the job's own outcome says more."""
    try:
        values = _values(agent, reads.status(agent))
        with transaction.atomic():
            if Agent.objects.filter(pk=agent.pk).exists():
                return IndexSnapshot.objects.update_or_create(agent=agent, defaults=values)[0]
    except IntegrityError:
        logger.info("no snapshot of %s: it was deleted", agent.slug)
    except (SearchError, RuleError, OSError, ValueError, TypeError) as error:
        logger.info("no snapshot of %s: %s", agent.slug, error)
    return None


def _values(agent: Agent, status: IndexStatus) -> dict[str, object]:
    problems = [
        sentence("{path}: {problem}", path=item.path, problem=item.problem)
        for part in status.collections
        for item in part.problems
    ]
    return {
        "at": timezone.now(),
        "exists": status.exists,
        "files": status.files,
        "chunks": status.chunks,
        "embedded": status.embedded,
        "size_bytes": status.size_bytes,
        "degraded": [{"code": one.code, "detail": one.detail} for one in status.degraded if one.code not in _USUAL],
        "problems": len(problems),
        "notes": [*near_limits(agent), *problems][:MOST_NOTES],
    }
