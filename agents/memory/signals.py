"""record_uses(): which lines of dated notes a search brought up, how well, on which day and for which question."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence
from datetime import datetime

from django.db import OperationalError, transaction

from agents.models import Agent, UsedEntry
from agents.workspace.places import today
from search.documents.annotations import strip_annotations
from search.documents.terms import exact_forms, pieces, tokens
from search.documents.text import dated_path
from search.outcome import Hit

logger = logging.getLogger(__name__)

MOST_ENTRIES = 512
MOST_QUERIES = 32
MOST_DAYS = 16
_SYMBOL = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
_TRUSTED = ("owner", "agent")


def record_uses(agent: Agent, query: str, hits: Sequence[Hit], *, now: datetime) -> None:
    """Remember them. The curated files, undated notes, the diary's reports and transcripts count for nothing.

    A busy database costs a signal, never the search.
    """
    lines: dict[tuple[str, str], tuple[Hit, int]] = {}
    for hit in hits:
        if (found := _best_line(query, hit)) is not None:
            lines.setdefault((hit.path, entry_digest(found[1])), (hit, found[0]))
    if not lines:
        return
    day = today(agent, now).isoformat()
    asked = hashlib.sha256(" ".join(sorted(set(tokens(query)))).encode("utf-8", "replace")).hexdigest()[:12]
    try:
        with transaction.atomic():
            _store(agent, lines, day=day, asked=asked, now=now)
    except OperationalError as error:
        logger.info("what a search of %s used was not recorded: %s", agent.slug, error)


def entry_digest(line: str) -> str:
    """Of a line's words, symbols and marks, whatever its list marker and annotations are: lines that only look alike
    are two."""
    stripped, _ = strip_annotations([line], curated=True)
    said = [*tokens(stripped[0]), *_SYMBOL.findall(stripped[0]), *exact_forms(stripped[0])]
    return hashlib.sha256(" ".join(said).encode("utf-8", "replace")).hexdigest()[:32]


def _best_line(query: str, hit: Hit) -> tuple[int, str] | None:
    """The line of the passage that shares most with the question, and its number; None for what does not count."""
    if hit.source != "memory" or hit.origin not in _TRUSTED or dated_path(hit.path) is None:
        return None
    if not hit.path.startswith("memory/") or hit.path.startswith("memory/dreaming/"):
        return None
    wanted = set(pieces(query))
    found, most = None, 0
    for number, line in hit.numbered_lines():
        shared = len(wanted.intersection(pieces(line)))
        if shared > most and not line.lstrip().startswith("#"):
            found, most = (number, line), shared
    return found


def _store(agent: Agent, lines: dict[tuple[str, str], tuple[Hit, int]], *, day: str, asked: str, now: datetime) -> None:
    known = {
        (entry.path, entry.digest): entry
        for entry in UsedEntry.objects.select_for_update().filter(
            agent=agent, digest__in=[digest for _, digest in lines]
        )
    }
    fresh = []
    for (path, digest), (hit, number) in lines.items():
        entry = known.get((path, digest)) or UsedEntry(agent=agent, path=path, digest=digest)
        entry.line, entry.last_at = number, now
        entry.recalls += 1
        entry.score_sum += hit.score
        entry.queries = [*(one for one in entry.queries if one != asked), asked][-MOST_QUERIES:]
        entry.days = [*(one for one in entry.days if one != day), day][-MOST_DAYS:]
        fresh.append(entry)
    UsedEntry.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["agent", "path", "digest"],
        update_fields=["line", "last_at", "recalls", "score_sum", "queries", "days"],
    )


def prune_entries(agent: Agent) -> None:
    """Keep the entries that were used last."""
    kept = UsedEntry.objects.filter(agent=agent).values_list("pk", flat=True)[:MOST_ENTRIES]
    UsedEntry.objects.filter(agent=agent).exclude(pk__in=list(kept)).delete()
