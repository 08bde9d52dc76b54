"""consolidate(): promote to MEMORY.md what searches really used, and tell the diary about it."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from django.utils import timezone

from agents.access.provenance import origins_of
from agents.core.actors import SYSTEM, Actor
from agents.core.agent_settings import enabled_settings, read_settings
from agents.core.apart import apart
from agents.core.audit import record
from agents.core.errors import RuleError
from agents.memory.signals import entry_digest, prune_entries
from agents.models import Agent, UsedEntry
from agents.upkeep.consolidation.rewrite import BUDGET_CHARS, MAX_LOSS, Entry, Rewrite, rewrite
from agents.upkeep.consolidation.score import MAX_AGE_DAYS, MIN_QUERIES, MIN_RECALLS, MIN_SCORE, Signals, score
from agents.workspace import append, index_now, read_content, replace
from agents.workspace.lock import workspace_lock
from agents.workspace.places import today
from search.documents.annotations import strip_annotations
from search.documents.lines import split_lines
from search.documents.origin import line_digest
from search.documents.secrets import mask_secrets
from search.documents.terms import tokens
from search.flush.own_words import weight
from search.sentences import sentence

logger = logging.getLogger(__name__)

MEMORY, DIARY = "MEMORY.md", "DREAMS.md"
MOST_PROMOTED = 10
MOST_CHARS = 100_000
"""Of MEMORY.md: comparing a longer one with itself takes seconds, and it is far beyond any budget."""
MOST_WEIGHT = 640
"""160 tokens: what is longer is no entry but a story."""

Status = Literal["promoted", "nothing", "refused"]


@dataclass(frozen=True, slots=True)
class Consolidated:
    """`diff` is what changed in MEMORY.md, or would change; `reason` says why nothing did."""

    status: Status
    dry_run: bool
    promoted: tuple[Entry, ...] = ()
    superseded: tuple[str, ...] = ()
    diff: str = ""
    reason: str = ""


def consolidate(*, agent: Agent, actor: Actor, dry_run: bool = False, now: datetime | None = None) -> Consolidated:
    """One round. The version before it is kept and can be restored.

    Raises `MemoryDisabled`, `WorkspaceUnwritable`, and `Conflict` when somebody saves MEMORY.md in the same moment.
    """
    own = enabled_settings(agent)
    moment = now or timezone.now()
    day = today(agent, moment)
    prune_entries(agent)
    candidates = _candidates(agent, moment)
    before = read_content(agent, MEMORY)
    if candidates and len(before.text) > MOST_CHARS:
        said = sentence(
            "{memory} has {count} characters; above {most_chars} nothing is added. Shorten it",
            memory=MEMORY,
            count=len(before.text),
            most_chars=MOST_CHARS,
        )
        return Consolidated("refused", dry_run, reason=said)
    if not dry_run:
        candidates = _end_round(agent, actor, candidates, before.text, day)
    budget = min(BUDGET_CHARS, own.context_file_chars)
    plan = rewrite(before.text, [entry for _, entry in candidates], day=day, budget=budget)
    diff = "".join(
        difflib.unified_diff(
            before.text.splitlines(keepends=True), plan.text.splitlines(keepends=True), MEMORY, MEMORY, n=1
        )
    )
    if not plan.promoted:
        return Consolidated(
            "nothing", dry_run, reason=sentence("no note was used often enough that is not in MEMORY.md")
        )
    if not plan.acceptable:
        return Consolidated("refused", dry_run, plan.promoted, plan.superseded, diff, _why_not(plan, budget))
    if not dry_run:
        with workspace_lock(agent):  # no round without its line in the diary; `_end_round` if it is cut short
            replace(
                agent=agent, actor=actor, path=MEMORY, text=plan.text, expected_hash=before.hash, origin="agent",
                action="consolidate", index=False,
            )  # fmt: skip
            _tell_diary(agent, actor, plan.promoted, plan.superseded, day)
            UsedEntry.objects.filter(pk__in=[row.pk for row, _ in candidates]).update(promoted_at=moment)
        index_now(agent, [MEMORY])
        detail = {"promoted": len(plan.promoted), "superseded": len(plan.superseded)}
        record(actor=actor, action="memory.consolidate", target=MEMORY, agent_slug=agent.slug, detail=detail)
    return Consolidated("promoted", dry_run, plan.promoted, plan.superseded, diff)


def _end_round(
    agent: Agent, actor: Actor, candidates: list[tuple[UsedEntry, Entry]], text: str, day: date
) -> list[tuple[UsedEntry, Entry]]:
    """What a round that was cut short had put into MEMORY.md is told to the diary; the candidates that are left."""
    done = [(row, entry) for row, entry in candidates if entry.beginning in text]
    if done:
        with workspace_lock(agent):
            told = read_content(agent, DIARY).text
            untold = [entry for _, entry in done if f"- {entry.text} ({entry.anchor}, " not in told]
            if untold:
                _tell_diary(agent, actor, untold, (), day)
            UsedEntry.objects.filter(pk__in=[row.pk for row, _ in done]).update(promoted_at=timezone.now())
    return [found for found in candidates if found not in done]


def consolidate_all() -> int:
    """Every agent that wants it, one after the other; what cannot be done tonight is done another night."""
    promoted = 0
    for agent in Agent.objects.all():
        own = read_settings(agent)
        if not (own.memory_enabled and own.consolidate_enabled):
            continue
        with apart(agent.slug, "consolidating"):
            try:
                promoted += len(consolidate(agent=agent, actor=SYSTEM).promoted)
            except RuleError as error:
                logger.warning("the memory of %s was not consolidated: %s", agent.slug, error.message)
    return promoted


def _candidates(agent: Agent, now: datetime) -> list[tuple[UsedEntry, Entry]]:
    """The best entries past the thresholds, read again from their files, best first."""
    rows = UsedEntry.objects.filter(
        agent=agent,
        promoted_at__isnull=True,
        recalls__gte=MIN_RECALLS,
        last_at__gte=now - timedelta(days=MAX_AGE_DAYS),
    )
    scored = []
    lines: dict[str, dict[str, tuple[int, str]]] = {}
    for row in rows:
        live = None
        if len(row.queries) >= MIN_QUERIES:
            if row.path not in lines:  # once for all of its entries
                lines[row.path] = _lines_of(agent, row.path)
            live = _live_line(agent, lines[row.path].get(row.digest))
        if live is None:
            continue
        number, text = live
        words = [word for word in dict.fromkeys(tokens(text)) if len(word) > 2 or not word.isascii()]
        signals = Signals(
            recalls=row.recalls, score_sum=row.score_sum, queries=len(row.queries),
            days=tuple(map(date.fromisoformat, row.days)), last_at=row.last_at, terms=len(words),
        )  # fmt: skip
        points = score(signals, now)
        if points >= MIN_SCORE:
            importance = min(10, max(3, round(points * 10)))
            scored.append((points, row, Entry(text, f"{row.path}#L{number}", importance, _triggers(words))))
    scored.sort(key=lambda found: (-found[0], found[2].anchor))
    return [(row, entry) for _, row, entry in scored[:MOST_PROMOTED]]


def _lines_of(agent: Agent, path: str) -> dict[str, tuple[int, str]]:
    """Digest of each line of the file → the first such line's number and text."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(split_lines(read_content(agent, path).text), start=1):
        found.setdefault(entry_digest(line), (number, line))
    return found


def _live_line(agent: Agent, found: tuple[int, str] | None) -> tuple[int, str] | None:
    """The line as it stands now, without its marker and annotations; None when it is gone or nobody vouches for it."""
    if found is None:
        return None
    number, line = found
    digest = line_digest(line)
    if digest is None or origins_of(agent, [digest]).get(digest, "owner") not in ("owner", "agent"):
        return None
    stripped, _ = strip_annotations([line], curated=True)
    text = mask_secrets(stripped[0].strip().lstrip("-*+ ").replace("<!--", "&lt;!--"))
    return (number, text) if text and weight(text) <= MOST_WEIGHT else None


def _triggers(words: list[str]) -> tuple[str, ...]:
    """The longest words: those that are least likely to fire for something else."""
    long = sorted((word for word in words if 5 <= len(word) <= 24 and not word.isdigit()), key=len, reverse=True)
    return tuple(long[:3])


def _why_not(plan: Rewrite, budget: int) -> str:
    if not plan.fits:
        return sentence(
            "{memory} has no room for it within {budget} characters; shorten it, or raise context_file_chars",
            memory=MEMORY,
            budget=budget,
        )
    return sentence(
        "{lost} of {prior} entries would be lost, which is more than {max_loss:.0%}",
        lost=plan.lost,
        prior=plan.prior,
        max_loss=MAX_LOSS,
    )


def _tell_diary(agent: Agent, actor: Actor, promoted: Sequence[Entry], superseded: Sequence[str], day: date) -> None:
    lines = [f"## {day.isoformat()}", "", f"Promoted to {MEMORY}, because searches kept using it:", ""]
    lines += [f"- {entry.text} ({entry.anchor}, importance {entry.importance})" for entry in promoted]
    if superseded:
        lines += ["", "Marked as superseded:", "", *superseded]
    append(agent=agent, actor=actor, path=DIARY, text="\n".join(lines), origin="system", heading="# Diary", index=False)
