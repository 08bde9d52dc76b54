"""columns(): the same question in several ways, each with its time, its hits and what it was degraded by."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.utils.translation import gettext as _

from agents.core.agent_settings import read_settings
from agents.core.errors import RuleError
from agents.memory import reads
from memory_appliance.web.access import Access
from memory_appliance.web.playground.advice import Step, steps_after
from memory_appliance.web.playground.asked import Asked
from memory_appliance.web.playground.form import MODE_LABELS
from memory_appliance.web.playground.highlight import query_marks
from memory_appliance.web.playground.hits import ShownHit, shown_hit
from memory_appliance.web.told import remark, told
from memory_appliance.web.words import degradation
from search.errors import BadQuery, SearchError
from search.outcome import SearchOutcome
from search.spec import Mode
from search.variants import parse_typed

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MOST_MS = 8_000
"""All columns of one answer together: a page is no reason to keep a thread of the server for longer."""
LEAST_MS = 50

State = Literal["waits", "hits", "empty", "error"]


@dataclass(frozen=True, slots=True)
class Note:
    """What was missing on the way; `detail` is what the engine itself says of it."""

    text: StrOrPromise
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One way to search. A column that `waits` is asked for by the page itself, or by following `alone`."""

    mode: Mode
    label: StrOrPromise
    state: State
    alone: str
    """The address of this way alone."""
    part: str
    """The address that answers with this column and no other."""
    took_ms: float = 0.0
    hits: tuple[ShownHit, ...] = ()
    outcome: SearchOutcome | None = None
    notes: tuple[Note, ...] = ()
    reason: StrOrPromise = ""
    steps: tuple[Step, ...] = ()

    @property
    def model(self) -> str:
        """Whose vectors took part; "" where words alone were looked for."""
        outcome = self.outcome
        return outcome.model if outcome is not None and outcome.mode != "search" and outcome.model != "none" else ""


def columns(access: Access, asked: Asked, *, only: Mode | None, patient: bool) -> list[Column]:
    """`only`: that column alone. `patient`: all of them now; else the first, and the others wait to be asked for."""
    if only is not None:
        return [_searched(access, asked, only, MOST_MS)]
    return list(_side_by_side(access, asked, patient))


def _side_by_side(access: Access, asked: Asked, patient: bool) -> Iterator[Column]:
    until = time.monotonic() + MOST_MS / 1000
    for place, mode in enumerate(asked.modes):
        if place and not patient:
            yield _column(asked, mode, "waits")
        else:
            left_ms = int((until - time.monotonic()) * 1000)
            yield _searched(access, asked, mode, max(LEAST_MS, left_ms))


def _searched(access: Access, asked: Asked, mode: Mode, most_ms: int) -> Column:
    own = read_settings(access.agent)
    params = asked.params(mode, deadline_ms=min(own.deadline_ms, most_ms))
    began = time.perf_counter()
    try:
        found = reads.search(
            agent=access.agent, caller=asked.chat.caller(access.actor), session=asked.chat.session, params=params
        )
    except (RuleError, SearchError) as error:
        return _column(
            asked, mode, "error", reason=remark(error.message), notes=(Note(told(error.hint)),) if error.hint else ()
        )
    took_ms = (time.perf_counter() - began) * 1000
    if isinstance(found, reads.Denied):
        return _column(asked, mode, "error", reason=remark(found.decision.reason))
    outcome = found.outcome
    marks = query_marks(_what_is_asked(asked.query, mode))
    hits = tuple(shown_hit(access.agent, hit, marks) for hit in outcome.results)
    return _column(
        asked,
        mode,
        "error" if outcome.outcome == "unavailable" else "hits" if hits else "empty",
        took_ms=took_ms,
        hits=hits,
        outcome=outcome,
        notes=_notes(outcome, found.withheld),
        reason=remark(outcome.reason) if outcome.reason else "",
        steps=() if hits else steps_after(asked, outcome, own, access.agent),
    )


def _column(
    asked: Asked,
    mode: Mode,
    state: State,
    *,
    took_ms: float = 0.0,
    hits: tuple[ShownHit, ...] = (),
    outcome: SearchOutcome | None = None,
    notes: tuple[Note, ...] = (),
    reason: StrOrPromise = "",
    steps: tuple[Step, ...] = (),
) -> Column:
    return Column(
        mode=mode,
        label=MODE_LABELS[mode],
        state=state,
        alone=asked.address(modes=(mode,)),
        part=f"{asked.address()}&only={mode}",
        took_ms=took_ms,
        hits=hits,
        outcome=outcome,
        notes=notes,
        reason=reason,
        steps=steps,
    )


def _notes(outcome: SearchOutcome, withheld: str) -> tuple[Note, ...]:
    notes = [Note(degradation(item.code), item.detail) for item in outcome.degraded]
    if outcome.partial:
        notes.append(Note(_("The time limit was reached. These are the results found so far.")))
    if withheld:
        notes.append(Note(_("Chats were not searched."), withheld))
    return tuple(notes)


def _what_is_asked(query: str, mode: Mode) -> str:
    """The query and the typed lines beside it, as one text whose words are marked."""
    if mode != "query":
        return query
    try:
        typed = parse_typed(query)
    except BadQuery:
        return query
    return " ".join((typed.text, *(variant.text for variant in typed.variants if variant.kind == "lex")))
