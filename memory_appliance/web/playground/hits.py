"""shown_hit(): one passage as the page shows it: where it stands, its marked lines, its bars and its arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.models import Agent
from memory_appliance.web.files.places import Lines, reader_address
from memory_appliance.web.playground.arithmetic import Line, lines_of
from memory_appliance.web.playground.highlight import Piece, marked_lines
from search.citations import citation
from search.outcome import Hit
from search.retrieve.marks import Marks

MOST_IMPORTANT = 1.25
"""The factor of a note marked `importance: 10`."""


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: float
    text: str
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class ShownHit:
    hit: Hit
    citation: str
    address: str
    lines: list[list[Piece]]
    bars: tuple[Bar, ...]
    arithmetic: tuple[Line, ...]


def shown_hit(agent: Agent, hit: Hit, marks: Marks) -> ShownHit:
    return ShownHit(
        hit=hit,
        citation=citation(hit.path, hit.start_line, hit.end_line, hit.pages),
        address=reader_address(agent.slug, hit.path, Lines(hit.snippet_start_line, hit.snippet_end_line)),
        lines=marked_lines(hit.snippet, marks),
        bars=tuple(_bars(hit)),
        arithmetic=lines_of(hit.explain) if hit.explain else (),
    )


def _bars(hit: Hit) -> Iterator[Bar]:
    yield Bar(_("words"), hit.keyword_score, f"{hit.keyword_score:.3f}")
    yield Bar(_("meaning"), hit.vector_score, f"{hit.vector_score:.3f}")
    if hit.rerank_score is not None:
        yield Bar(_("reranker"), hit.rerank_score, f"{hit.rerank_score:.3f}")
    if hit.explain is not None:
        yield Bar(_("age"), hit.explain.decay, f"× {hit.explain.decay:.2f}")
        yield Bar(_("importance"), hit.explain.importance, f"× {hit.explain.importance:.2f}", MOST_IMPORTANT)
