"""The deep lane: a few searches, one look at the neighbourhood, and a summary that its sources carry.

Without a generator a fixed planner searches (the message, what it names, the time it means) and the summary is made of
the sources' own sentences. A generator takes over the plan and the wording on the same path, with the same two tools;
its note goes out only when the sources carry it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from search import pipeline
from search.errors import GeneratorUnavailable, IndexUnavailable
from search.get import GetResult, get_document
from search.index.facts import IndexFacts, index_facts
from search.index.pool import reading
from search.journey import FindEmbedder
from search.marks import one_line
from search.outcome import SearchOutcome
from search.recall.evidence import weigh_evidence
from search.recall.findings import MAX_SOURCES, Finding, Findings
from search.recall.grounding import is_grounded
from search.recall.intent import IntentVerdict
from search.recall.models import TurnEmbedder, TurnGenerator
from search.recall.outcome import Note, Reason, Status, Step
from search.recall.plan import days, entities, plain_words
from search.recall.query import cut
from search.recall.tools import GetArguments, SearchArguments, Toolbox, ToolRefused
from search.recall.writer import Task, write
from search.retrieve.query import parse_query
from search.runtime.protocols import Vectors
from search.sentences import sentence, together
from search.spec import IndexSpec, SearchRequest

RESULTS = 6
NEIGHBOURHOOD = 6
"""Lines before and after the best passage that the one `memory_get` reads."""


@dataclass(slots=True)
class Draft:
    """What a run leaves behind while it works; the deadline takes the finding that is there by then."""

    steps: list[Step] = field(default_factory=list)
    intent: IntentVerdict | None = None
    finding: Finding | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[list[str]]:
        """Times a step; what is put into the list becomes its detail."""
        started = time.perf_counter()
        detail: list[str] = []
        try:
            yield detail
        finally:
            self.steps.append(Step(name, round((time.perf_counter() - started) * 1000, 3), together(detail)))


@dataclass(frozen=True, slots=True)
class DeepTask:
    """`search` is the request as the gate allows it; only its query, mode and numbers are changed here."""

    spec: IndexSpec
    search: SearchRequest
    query: str
    writing: Task
    today: date
    until: float
    """On the monotonic clock."""
    former: FindEmbedder
    """Finds the embedder of an index that was made with an earlier model."""


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    status: Status
    reason: Reason
    finding: Finding | None = None


class DeepLane:
    """One turn's run."""

    def __init__(
        self, task: DeepTask, draft: Draft, embedder: TurnEmbedder | None, generator: TurnGenerator | None
    ) -> None:
        self._task = task
        self._draft = draft
        self._embedder = embedder
        self._generator = generator
        self._findings = Findings(task.writing.limit)
        self._tools = Toolbox(self._search, self._get)
        self._query = plain_words(task.query) or task.query
        self._days = days(task.query, task.today)

    def run(self) -> DeepAnswer:
        first = self._call("memory_search", query=self._query, maxResults=RESULTS)
        assert isinstance(first, SearchOutcome)
        if first.outcome == "unavailable":
            return DeepAnswer(Status.UNAVAILABLE, Reason.NO_INDEX)
        self._draft.finding = self._findings.extracted()
        reason = Reason.FOUND
        if self._generator is None:
            self._search_further()
        elif self._generator.resting:
            reason = Reason.BREAKER_OPEN
            self._search_further()
        else:
            reason = self._written(self._generator, first)
        if self._tools.refused:
            self._draft.facts["refused"] = list(self._tools.refused)
        finding = self._draft.finding
        if reason is Reason.DEADLINE:
            return DeepAnswer(Status.TIMEOUT_PARTIAL if finding else Status.TIMEOUT, reason, finding)
        if finding is None:
            return DeepAnswer(Status.NO_RELEVANT_MEMORY, Reason.NOTHING_FOUND if reason is Reason.FOUND else reason)
        return DeepAnswer(Status.OK, reason, finding)

    def _search_further(self) -> None:
        """The rest of the fixed plan: what the message names, the days it means, and around the best passage."""
        named = entities(self._task.query)
        if named:
            self._call("memory_search", query=named, maxResults=RESULTS)
        if self._days:
            self._call("memory_search", query=" ".join(day.isoformat() for day in self._days), maxResults=RESULTS)
        best = self._findings.relevant()
        if best:
            start = max(1, best[0].source.start_line - NEIGHBOURHOOD)
            count = best[0].source.end_line - start + 1 + NEIGHBOURHOOD
            self._call("memory_get", **{"path": best[0].hit.path, "from": start, "lines": min(120, count)})
        self._draft.finding = self._findings.extracted()

    def _written(self, generator: TurnGenerator, first: SearchOutcome) -> Reason:
        """The generator's note in place of the extracted one, if it may; else why not."""
        self._draft.facts["generator"] = generator.name
        with self._draft.step("write") as detail:
            try:
                with generator.turn():
                    note = write(generator, self._task.writing, self._tools, first, self._took)
            except GeneratorUnavailable as error:
                detail.append(error.message)
                self._draft.finding = self._findings.extracted()
                return Reason.DEADLINE if generator.out_of_time else Reason.NO_GENERATOR
            if not note:
                detail.append(sentence("nothing useful"))
                self._draft.finding = None
                return Reason.FOUND
            summary = cut(one_line(note), self._task.writing.limit, mark="…")
            if not is_grounded(summary, self._findings.texts):
                detail.append(sentence("not supported by the notes"))
                self._draft.finding = self._findings.extracted()
                return Reason.NOT_GROUNDED
            detail.append(sentence("a note"))
            self._draft.finding = self._found(summary)
            return Reason.FOUND

    def _found(self, summary: str) -> Finding:
        """A written note, cited with the passages that it was made from."""
        carrying = self._findings.carrying(summary)
        relevant = (one.source for one in self._findings.relevant())
        sources = tuple(dict.fromkeys((*carrying, *relevant)))[:MAX_SOURCES]
        return Finding(summary, (Note(summary, sources[0]),), sources)

    def _call(self, name: str, **arguments: Any) -> SearchOutcome | GetResult:
        result = self._tools.call(name, arguments)
        self._took(result)
        return result

    def _took(self, result: SearchOutcome | GetResult) -> None:
        if isinstance(result, GetResult):
            self._findings.read(result)

    def _search(self, asked: SearchArguments) -> SearchOutcome:
        left_ms = max(1, int((self._task.until - time.monotonic()) * 1000))
        # No MMR: sentences that repeat each other are left out of the summary anyway.
        ranking = replace(self._task.search.ranking, mmr=False)
        request = replace(
            self._task.search,
            query=asked.query,
            max_results=asked.maxResults,
            deadline_ms=left_ms,
            ranking=ranking,
        )
        with self._draft.step("memory_search") as detail:
            outcome = pipeline.search(self._task.spec, request, self._embedder, self._task.former)
            detail.append(_found_in_words(outcome))
            if outcome.degraded:
                self._draft.facts["degraded"] = sorted({item.code for item in outcome.degraded})
        if outcome.results:
            with self._draft.step("weigh") as detail:
                detail.append(sentence("{count} relevant", count=self._weigh(outcome)))
        return outcome

    def _get(self, asked: GetArguments) -> GetResult:
        if asked.path not in self._findings.paths:
            self._tools.refused.append("memory_get (a path that no search of this turn returned)")
            raise ToolRefused(self._tools.refused[-1])
        with self._draft.step("memory_get") as detail:
            result = get_document(self._task.spec, asked.path, from_line=asked.from_line, lines=asked.lines)
            detail.append(sentence("read") if result.status == "ok" else sentence("nothing"))
        return result

    def _weigh(self, outcome: SearchOutcome) -> int:
        """All passages are weighed against the message itself, whichever search found them."""
        try:
            with reading(self._task.spec.path) as connection:
                facts = index_facts(connection)
                evidence = weigh_evidence(
                    connection,
                    facts,
                    outcome.results,
                    query=parse_query(self._query),
                    vector=self._vector(outcome, facts),
                    days=[day.isoformat() for day in self._days],
                )
        except IndexUnavailable:
            evidence = ()  # it was exchanged just now; what the search returned still stands
        return self._findings.add(outcome.results, evidence)

    def _vector(self, outcome: SearchOutcome, facts: IndexFacts) -> Vectors | None:
        """The query's vector, if the index was searched by it and holds vectors of the same model."""
        if self._embedder is None or outcome.mode == "search" or facts.model is None:
            return None
        vector = self._embedder.known(self._query)
        if vector is None or self._embedder.identity().fingerprint != facts.model.identity.fingerprint:
            return None
        return vector


def _found_in_words(outcome: SearchOutcome) -> str:
    if outcome.outcome == "unavailable":
        return sentence("the index cannot be read")
    return sentence("{count} passages", count=len(outcome.results)) if outcome.results else sentence("nothing")
