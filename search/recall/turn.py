"""Recall.turn(): one turn from the open gates to the block: fast lane, intent, deep lane, all by the deadline."""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from search.errors import EmbedderUnavailable
from search.journey import FindEmbedder, no_former
from search.recall.block import context_block
from search.recall.breaker import Breaker
from search.recall.choices import QueryMode
from search.recall.deep import DeepAnswer, DeepLane, DeepTask, Draft
from search.recall.fast import FastAnswer, fast_lane
from search.recall.findings import Finding
from search.recall.gates import GateFacts, Stop, first_stop, gate_verdicts
from search.recall.intent import IntentVerdict, judge_intent
from search.recall.models import TurnEmbedder, TurnGenerator, Writers
from search.recall.outcome import Reason, RecallOutcome, Source, Status, Step
from search.recall.plan import plain_words
from search.recall.prompts import Prompt
from search.recall.query import HistoryTurn, clean, conversation, cut, search_query
from search.recall.small_talk import is_small_talk
from search.recall.turns import Ended, Late, Turns
from search.recall.writer import Task
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Embedder, Generator, Vectors
from search.sentences import sentence
from search.spec import IndexSpec, SearchRequest

log = logging.getLogger(__name__)

GRACE_SECONDS = 0.25
"""A run has the deadline itself; it is given this long to come back by then."""
FAST_HIT_PATIENCE = 0.5
"""Seconds that a turn which the fast lane has answered waits for the judgement of its intent."""

PRIVATE = frozenset({"direct", "explicit"})


@dataclass(frozen=True, slots=True)
class Turn:
    """What a gateway asks. `search` is the request as the agent's rules allow it, its query still open."""

    spec: IndexSpec
    session: str
    message: str
    history: Sequence[HistoryTurn]
    search: SearchRequest
    today: date
    timeout_ms: int
    query_mode: QueryMode = "recent"
    prompt: Prompt = field(default_factory=Prompt)
    summary_chars: int = 220
    began: float | None = None
    """When the caller began to wait, on the monotonic clock; None for now."""
    settings: str = ""
    """Whatever else makes two turns different, such as the agent's settings."""


@dataclass(frozen=True, slots=True)
class Models:
    embedder: Embedder | None = None
    generator: Generator | None = None
    former: FindEmbedder = no_former


@dataclass(frozen=True, slots=True)
class _Deliberated:
    """What a run in the pool answers: the gate that stopped it, or the deep lane's answer."""

    intent: IntentVerdict | None
    stop: Stop | None = None
    deep: DeepAnswer | None = None


class Recall:
    """The state that turns of one process share: threads, cache, breakers."""

    def __init__(self, turns: Turns[_Deliberated, Draft] | None = None) -> None:
        self.turns = turns or Turns()
        self.lanes = Breaker()
        self.models = Breaker()
        self.writers = Writers()

    def turn(self, facts: GateFacts, turn: Turn, models: Models) -> RecallOutcome:
        """Answers by the turn's deadline, whatever happens; an unexpected fault is logged and becomes `failed`."""
        return _Turn(self, facts, turn, models).answer()


class _Turn:
    def __init__(self, shared: Recall, facts: GateFacts, turn: Turn, models: Models) -> None:
        self.shared = shared
        self.turn = turn
        now = time.monotonic()
        self.waited = 0.0 if turn.began is None else now - turn.began
        self.until = now - self.waited + turn.timeout_ms / 1000
        self.query = search_query(turn.message, turn.history)
        self.said = clean(turn.message)
        self.facts = replace(facts, message_empty=not self.said)
        self.lane_key = turn.spec.agent
        embedder, generator = models.embedder, models.generator
        self.embedder = TurnEmbedder(embedder, shared.models, until=self.until) if embedder else None
        self.generator = (
            TurnGenerator(generator, shared.models, shared.writers, until=self.until) if generator else None
        )
        self.former = models.former
        self.fast = FastAnswer()
        self.draft = Draft()
        if turn.began is not None:
            self.draft.steps.append(Step("queue", round(self.waited * 1000, 3)))

    def answer(self) -> RecallOutcome:
        stop = first_stop(replace(self.facts, mode="always"))
        if stop is not None:
            return self._outcome(stop.status, stop.reason)
        if self.facts.chat_type in PRIVATE:
            with self.draft.step("fast_lane") as detail:
                self.fast = fast_lane(self.turn.spec, self.said, self.turn.search.projects)
                detail.append(
                    self.fast.problem
                    or sentence("{fired} of {all} phrases", fired=len(self.fast.notes), all=self.fast.triggers)
                )
        self.facts = replace(
            self.facts,
            strong_fast_hit=self.fast.strong,
            small_talk=is_small_talk(self.said),
            breaker_open=self.shared.lanes.open(self.lane_key),
        )
        stop = first_stop(self.facts)
        if stop is not None and self.facts.mode != "escalate":
            return self._stopped(stop, None)
        return self._deliberate(stop)

    def _deliberate(self, stop: Stop | None) -> RecallOutcome:
        """Judge the intent and go deep, in the pool. With a `stop` the answer is known and only the intent is open."""
        if time.monotonic() >= self.until:
            return self._late(Late(self.draft, started=False), stop)
        until = self.until if stop is None else min(self.until, time.monotonic() + FAST_HIT_PATIENCE)
        ended = self.shared.turns.run(
            self._key(), self._work, progress=self.draft, until=until + GRACE_SECONDS, keep=_worth_keeping
        )
        if isinstance(ended, Late):
            return self._late(ended, stop)
        if ended.result is None:
            log.error("recall failed", exc_info=ended.error)
            return self._outcome(Status.FAILED, Reason.ERROR)
        return self._ended(ended, ended.result)

    def _work(self, draft: Draft) -> _Deliberated:
        intent = None
        if self.facts.mode == "escalate":
            intent = draft.intent = self._judge(draft)
            self.facts = replace(self.facts, recall_intent=intent.verdict == "recall")
        stop = first_stop(self.facts)
        if stop is not None:
            return _Deliberated(intent, stop=stop)
        task = DeepTask(
            spec=self.turn.spec,
            search=self.turn.search,
            query=self.query,
            writing=Task(
                conversation(self.turn.message, self.turn.history, self.turn.query_mode),
                self.turn.query_mode,
                self.turn.prompt,
                self.turn.summary_chars,
            ),
            today=self.turn.today,
            until=self.until,
            former=self.former,
        )
        return _Deliberated(intent, deep=DeepLane(task, draft, self.embedder, self.generator).run())

    def _judge(self, draft: Draft) -> IntentVerdict:
        with draft.step("intent") as detail:
            verdict = judge_intent(self.said, self._vector())
            score = f"{verdict.score:.2f}"
            asks = verdict.verdict == "recall"
            detail.append(sentence("yes: {score}", score=score) if asks else sentence("no: {score}", score=score))
            return verdict

    def _vector(self) -> Vectors | None:
        """The message's own vector; the search shares it when it searches for the message as it is."""
        if self.embedder is None:
            return None
        try:
            if self.embedder.identity().model != BUNDLED.id:
                return None  # the judge knows the bundled model's vectors alone
            return self.embedder.embed_query(
                plain_words(self.said) or self.said, timeout=self.turn.search.embed_timeout_ms / 1000
            )
        except EmbedderUnavailable:
            return None  # patterns judge alone; the search names what was missing

    def _ended(self, ended: Ended[_Deliberated], result: _Deliberated) -> RecallOutcome:
        if result.stop is not None:
            return self._stopped(result.stop, result.intent)
        assert result.deep is not None
        self.shared.lanes.completed(self.lane_key)
        return self._answered(result.deep, result.intent, cached=ended.cached)

    def _answered(self, deep: DeepAnswer, intent: IntentVerdict | None, *, cached: bool) -> RecallOutcome:
        if deep.finding is None and self.fast.strong:
            return self._outcome(Status.OK, Reason.STRONG_FAST_HIT, intent=intent)
        return self._outcome(deep.status, deep.reason, intent=intent, finding=deep.finding, deep=True, cached=cached)

    def _late(self, late: Late[Draft], stop: Stop | None) -> RecallOutcome:
        draft = late.progress
        intent = draft.intent
        if self.facts.mode == "escalate" and intent is None:
            intent = judge_intent(self.said, None)
        if stop is not None:
            return self._stopped(stop, intent)
        if not late.started:
            return self._outcome(Status.TIMEOUT, Reason.BUSY, intent=intent, deep=True)
        self.shared.lanes.timed_out(self.lane_key)
        status = Status.TIMEOUT_PARTIAL if draft.finding or self.fast.strong else Status.TIMEOUT
        return self._outcome(status, Reason.DEADLINE, intent=intent, finding=draft.finding, deep=True)

    def _stopped(self, stop: Stop, intent: IntentVerdict | None) -> RecallOutcome:
        return self._outcome(stop.status, stop.reason, intent=intent)

    def _outcome(
        self,
        status: Status,
        reason: Reason,
        *,
        intent: IntentVerdict | None = None,
        finding: Finding | None = None,
        deep: bool = False,
        cached: bool = False,
    ) -> RecallOutcome:
        notes = (*self.fast.notes, *(finding.notes if finding else ()))
        sources: tuple[Source, ...] = (*self.fast.sources, *(finding.sources if finding else ()))
        fast_summary = cut(" ".join(note.text for note in self.fast.notes), self.turn.summary_chars, mark="…")
        steps: tuple[Step, ...] = tuple(self.draft.steps)
        # Of a shared run only its result is known here.
        facts = replace(self.facts, recall_intent=intent.verdict == "recall") if intent else self.facts
        return RecallOutcome(
            status=status,
            reason=reason,
            lane="deep" if finding is not None or (deep and not self.fast.strong) else "fast" if notes else None,
            intent=intent,
            summary=finding.summary if finding else fast_summary,
            sources=tuple(dict.fromkeys(sources)),
            context=context_block(notes, finding.further() if finding else ()),
            query=self.query,
            steps=steps,
            cached=cached,
            facts=dict(self.draft.facts),
            gates=gate_verdicts(facts),
        )

    def _key(self) -> Hashable:
        """Turns with the same key get the same answer."""
        turn = self.turn
        return (
            turn.spec.agent,
            str(turn.spec.path),
            turn.session,
            turn.message,
            tuple((one.role, one.text) for one in turn.history),
            self.facts.mode,
            turn.query_mode,
            self.facts.chat_type,
            turn.search.corpus,
            turn.search.projects,
            turn.settings,
            self.fast.strong,
        )


def _worth_keeping(result: _Deliberated) -> bool:
    return result.deep is not None and result.deep.status is Status.OK
