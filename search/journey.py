"""Journey: one search on its way through the stages, with what it was degraded by and how long each stage took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from search.dates import DateSpan, zone
from search.degradations import DegradationCode
from search.index.facts import IndexFacts
from search.outcome import Degradation, Hit, SearchOutcome
from search.runtime.protocols import Embedder, Generator, Reranker
from search.spec import EmbeddingIdentity, IndexSpec, Mode, SearchRequest

FindEmbedder = Callable[[EmbeddingIdentity], Embedder | None]


def no_former(_: EmbeddingIdentity) -> Embedder | None:
    return None


@dataclass(frozen=True, slots=True)
class Models:
    """What a search may use; None for what is not configured.

    `former` finds the embedder of an index that was made before the model was changed: its vectors answer until the
    new ones are there.
    """

    embedder: Embedder | None = None
    former: FindEmbedder = no_former
    reranker: Reranker | None = None
    generator: Generator | None = None


@dataclass(slots=True)
class Journey:
    """Written to by the stages, read once by `outcome`."""

    spec: IndexSpec
    request: SearchRequest
    models: Models
    started: float = field(default_factory=time.monotonic)
    degraded: list[Degradation] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    partial: bool = False
    provider: str = "none"
    model: str = "none"
    mode: Mode = "search"
    spans: tuple[DateSpan, ...] = ()
    """Times that the query names."""
    collection_names: dict[int, str] = field(default_factory=dict)

    def enter(self, facts: IndexFacts) -> None:
        """The index is open: whose vectors it holds, how its collections are called."""
        if facts.model is not None:
            self.provider, self.model = facts.model.identity.provider, facts.model.identity.model
        self.collection_names = {entry[0]: name for name, entry in facts.collections.items()}

    def now(self) -> datetime:
        """Time-zone aware, in the agent's zone."""
        return (self.request.now or datetime.now(UTC)).astimezone(zone(self.spec.timezone))

    def degrade(self, code: DegradationCode, detail: str) -> None:
        self.degraded.append(Degradation(code, detail))

    def remaining(self) -> float:
        """Seconds until the deadline; negative when it has passed."""
        return self.request.deadline_ms / 1000 - (time.monotonic() - self.started)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            took = (time.perf_counter() - started) * 1000
            self.timings[name] = round(self.timings.get(name, 0.0) + took, 3)

    def outcome(
        self, kind: Literal["ok", "empty", "abstained", "unavailable"], hits: Sequence[Hit] = (), reason: str = ""
    ) -> SearchOutcome:
        return SearchOutcome(
            outcome=kind,
            results=tuple(hits),
            mode=self.mode,
            requested_mode=self.request.mode,
            provider=self.provider,
            model=self.model,
            degraded=tuple(self.degraded),
            partial=self.partial,
            reason=reason,
            timings_ms=self.timings,
        )
