"""A review: a job that looks for lines that stand twice or disagree. It changes nothing, and keeps places alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from agents.core.actors import Actor
from agents.core.agent_settings import memory_on
from agents.core.audit import record
from agents.indexes.specs import index_spec
from agents.jobs.runs import request_run
from agents.models import Agent, Run
from search.index.report import IsCancelled, ReportProgress
from search.review.judge import Kind
from search.review.lines import Line
from search.review.places import line_mark, lines_at
from search.review.run import review_index

MOST_SHOWN = 40
"""Pairs that a page shows; each costs two looks into the index."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line where it stands, as it reads now."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines; `values` are what differs between them, where that can be named."""

    kind: Kind
    one: Place
    other: Place
    values: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The last review that came to its end, and the one that is under way or failed since.

    `settled` counts pairs whose lines have changed since: somebody has seen to them.
    """

    done: Run | None
    later: Run | None
    disagree: tuple[Pair, ...] = ()
    twice: tuple[Pair, ...] = ()
    settled: int = 0

    @property
    def running(self) -> bool:
        return self.later is not None and self.later.state in Run.ACTIVE


def request_review(*, actor: Actor, agent: Agent, reason: str = "request") -> Run:
    """Make (or join) the job; dispatching it is the door's part."""
    with transaction.atomic():
        run = request_run(agent=agent, kind=Run.Kind.REVIEW, reason=reason)
        record(
            actor=actor, action="memory.review", target=agent.slug, agent_slug=agent.slug, detail={"run": run.public_id}
        )
    return run


def carry_out(agent: Agent, *, progress: ReportProgress, cancelled: IsCancelled) -> dict[str, Any]:
    """The job's result: places and marks of lines, and how much was looked at; none of their text."""
    review = review_index(index_spec(agent), progress=progress, cancelled=cancelled)
    return {
        "findings": [
            {
                "kind": finding.kind,
                "one": _stored(finding.one),
                "other": _stored(finding.other),
                "values": finding.values,
            }
            for finding in review.findings
        ],
        "lines": review.lines,
        "files": review.files,
        "files_left_out": review.files_left_out,
        "series": review.series,
        "by_meaning": review.by_meaning,
        "generation": review.generation,
    }


def last_review(agent: Agent) -> Reviewed:
    """Two queries, and a bounded number of looks into the index."""
    runs = Run.objects.filter(agent=agent, kind=Run.Kind.REVIEW)
    latest = runs.first()
    done = latest if latest is None or latest.state == Run.State.DONE else runs.filter(state=Run.State.DONE).first()
    later = None if latest is done else latest
    if done is None:
        return Reviewed(None, later)
    pairs, settled = _read_again(agent, done.result.get("findings", []))
    disagree = tuple(pair for pair in pairs if pair.kind != "duplicate")[:MOST_SHOWN]
    twice = tuple(pair for pair in pairs if pair.kind == "duplicate")[:MOST_SHOWN]
    return Reviewed(done, later, disagree, twice, settled)


def agents_to_review() -> list[Agent]:
    """Agents whose notes have changed since they were looked through."""
    looks = Run.objects.filter(agent=OuterRef("pk"), kind=Run.Kind.REVIEW)
    since = Q(state__in=Run.ACTIVE) | Q(created_at__gte=OuterRef("last_change_at"))
    changed = Agent.objects.filter(~Exists(looks.filter(since)), last_change_at__isnull=False)
    return [agent for agent in changed if memory_on(agent.settings)]


def forget_findings(agent: Agent, paths: Iterable[str]) -> None:
    """What is forgotten is in no result either, not even as a place."""
    gone = set(paths)
    for run in Run.objects.filter(agent=agent, kind=Run.Kind.REVIEW, state=Run.State.DONE):
        findings = run.result.get("findings", [])
        kept = [one for one in findings if not gone & {one["one"]["path"], one["other"]["path"]}]
        if len(kept) < len(findings):
            run.result["findings"] = kept
            run.save(update_fields=["result"])


def _stored(line: Line) -> dict[str, Any]:
    return {"path": line.path, "line": line.number, "mark": line_mark(line.text)}


def _read_again(agent: Agent, findings: list[dict[str, Any]]) -> tuple[list[Pair], int]:
    ends = [finding[end] for finding in findings for end in ("one", "other")]
    now = lines_at(index_spec(agent), {(end["path"], end["line"]) for end in ends})

    def still(end: dict[str, Any]) -> Place | None:
        text = now.get((end["path"], end["line"]), "")
        return Place(end["path"], end["line"], text) if line_mark(text) == end["mark"] else None

    def pairs() -> Iterator[Pair]:
        for finding in findings:
            one, other = still(finding["one"]), still(finding["other"])
            if one is not None and other is not None:
                first, second = finding["values"]
                yield Pair(finding["kind"], one, other, (tuple(first), tuple(second)))

    found = list(pairs())
    return found, len(findings) - len(found)
