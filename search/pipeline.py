"""search(): the one place that knows the order of the stages; collects degradations and the explanation."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from search.citations import citation, with_source
from search.errors import EmbedderUnavailable, IndexUnavailable
from search.index import driver
from search.index.driver import Connection, capabilities
from search.index.facts import IndexFacts, index_facts
from search.index.pool import reading
from search.index.reader import docid
from search.outcome import Degradation, DegradationCode, Explain, Hit, SearchOutcome
from search.rank.candidates import Candidate, load_candidates, load_texts
from search.rank.diversify import POOL, diversify
from search.rank.fusion import Weights, boosted, fuse, weights_of
from search.rank.profiles import CANDIDATES, Ranking, resolve
from search.rank.weigh import weigh
from search.retrieve.keyword import KeywordLeg, keyword_leg
from search.retrieve.named import files_named
from search.retrieve.private import hidden_chunks
from search.retrieve.query import KeywordQuery, parse_query
from search.retrieve.vector import NearestPassages, nearest_passages, vector_leg
from search.runtime.centres import centre_query
from search.runtime.protocols import Embedder, Vectors
from search.runtime.vectors import is_usable
from search.snippet import Passage, highlighter, passage
from search.spec import EmbeddingIdentity, IndexSpec, Mode, SearchRequest

FindEmbedder = Callable[[EmbeddingIdentity], Embedder | None]


def _no_former(_: EmbeddingIdentity) -> Embedder | None:
    return None


def search(
    spec: IndexSpec, request: SearchRequest, embedder: Embedder | None, former: FindEmbedder = _no_former
) -> SearchOutcome:
    """Answer one request from the index as it stands; never waits for indexing and never writes.

    Any query text is allowed. Parts that are missing degrade and are named in `degraded`; only an index that does
    not exist or cannot be read at all gives `unavailable`. `former` finds the embedder of an index that was made
    before the model was changed: its vectors answer until the new ones are there.
    """
    run = _Run(spec, request, embedder, former)
    try:
        with reading(spec.path) as connection:
            return run.answer(connection)
    except IndexUnavailable as error:
        run.degrade("no_index", error.advice())
        return run.outcome("unavailable", (), "search", error.message)


@dataclass(slots=True)
class _Legs:
    """What the legs found; None for a leg that was not asked or could not answer."""

    keyword: KeywordLeg | None = None
    nearest: NearestPassages | None = None
    """Of the candidates of both legs."""
    named: tuple[int, ...] = ()
    """First chunks of the files that the query names outright."""

    def mode(self) -> Mode:
        return "hybrid" if self.keyword and self.nearest else "vsearch" if self.nearest else "search"


class _Run:
    """One search on its way through the stages."""

    def __init__(
        self, spec: IndexSpec, request: SearchRequest, embedder: Embedder | None, former: FindEmbedder
    ) -> None:
        self.spec = spec
        self.request = request
        self.embedder = embedder
        self.former = former
        self.started = time.monotonic()
        self.degraded: list[Degradation] = []
        self.timings: dict[str, float] = {}
        self.partial = False
        self.provider, self.model = "none", "none"
        self.names: dict[int, str] = {}

    def degrade(self, code: DegradationCode, detail: str) -> None:
        self.degraded.append(Degradation(code, detail))

    def outcome(self, kind: str, hits: Sequence[Hit], mode: Mode, reason: str = "") -> SearchOutcome:
        assert kind in ("ok", "empty", "unavailable", "abstained")
        return SearchOutcome(
            outcome=kind,  # type: ignore[arg-type]
            results=tuple(hits),
            mode=mode,
            requested_mode=self.request.mode,
            provider=self.provider,
            model=self.model,
            degraded=tuple(self.degraded),
            partial=self.partial,
            reason=reason,
            timings_ms=self.timings,
        )

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((time.perf_counter() - started) * 1000, 3)

    def remaining(self) -> float:
        return self.request.deadline_ms / 1000 - (time.monotonic() - self.started)

    def answer(self, connection: Connection) -> SearchOutcome:
        facts = index_facts(connection)
        if facts.model is not None:
            self.provider, self.model = facts.model.identity.provider, facts.model.identity.model
        self.names = {entry[0]: name for name, entry in facts.collections.items()}
        query = parse_query(self.request.query)
        if not self.request.query.strip():
            return self.outcome("empty", (), "search", "the query is blank")
        collections = self._collections(facts)
        ranking = resolve(self.request.ranking, self.model)
        legs = self._retrieve(connection, facts, query, collections, ranking)
        mode = legs.mode()
        ordered = self._rank(connection, legs, query, ranking)
        if self.request.abstain and (doubt := self._doubt(ordered, ranking)):
            return self.outcome("abstained", (), mode, doubt)
        hits = self._select(connection, ordered, query, ranking, legs)
        if hits:
            return self.outcome("ok", hits, mode)
        return self.outcome("empty", (), mode, self._why_empty(facts, query, collections, ordered))

    def _collections(self, facts: IndexFacts) -> frozenset[int] | None:
        """Ids of the collections to look into; None when that is the whole index."""
        asked = self.request.collections
        allowed = set()
        for collection in self.spec.collections:
            wanted = collection.name in asked if asked is not None else collection.include_by_default
            if self.request.corpus != "all" and asked is None:
                wanted = wanted and collection.source == self.request.corpus
            if wanted and collection.name in facts.collections:
                allowed.add(facts.collections[collection.name][0])
        everything = {entry[0] for entry in facts.collections.values()}
        return None if allowed == everything else frozenset(allowed)

    def _retrieve(
        self,
        connection: Connection,
        facts: IndexFacts,
        query: KeywordQuery,
        collections: frozenset[int] | None,
        ranking: Ranking,
    ) -> _Legs:
        legs = _Legs(named=tuple(files_named(connection, self.request.query, collections)))
        wants_vector = self.request.mode != "search"
        if self.request.mode != "vsearch":
            self._keyword(connection, facts, query, collections, legs)
        if wants_vector:
            self._vector(connection, facts, collections, legs, ranking)
        if self.request.mode == "vsearch" and legs.nearest is None:
            self._keyword(connection, facts, query, collections, legs)
        if facts.pending and wants_vector:
            self.degrade(
                "pending_embeddings", f"{facts.pending} of {facts.chunks} chunks are found by words only, as yet"
            )
        return legs

    def _keyword(
        self,
        connection: Connection,
        facts: IndexFacts,
        query: KeywordQuery,
        collections: frozenset[int] | None,
        legs: _Legs,
    ) -> None:
        if not facts.words:
            self.degrade("no_keyword", "the keyword index is missing; the next update makes it again")
            return
        with self.stage("keyword"):
            try:
                legs.keyword = keyword_leg(connection, facts, query, collections, CANDIDATES)
            except driver.CorruptErrors:
                raise
            except driver.DatabaseError as error:
                self.degrade("no_keyword", f"the keyword index cannot be read: {error}")

    def _vector(
        self,
        connection: Connection,
        facts: IndexFacts,
        collections: frozenset[int] | None,
        legs: _Legs,
        ranking: Ranking,
    ) -> None:
        vector = self._query_vector(facts)
        if vector is None:
            return
        if ranking.centre:
            vector = centre_query(vector, self.model)
        if not capabilities().vec:
            self.degrade("vec_fallback", f"sqlite-vec is missing ({capabilities().vec_error}); numpy computes instead")
        with self.stage("vector"):
            near, engine = vector_leg(connection, facts, vector, collections, CANDIDATES)
            if engine == "none":
                self.degrade("no_vectors", "this index is too large to search its vectors without sqlite-vec")
                return
            found = {hit.chunk_id for hit in near}
            if legs.keyword is not None:
                found |= {hit.chunk_id for hit in legs.keyword.hits}
            legs.nearest = nearest_passages(connection, facts, vector, found)

    def _query_vector(self, facts: IndexFacts) -> Vectors | None:
        """The query's vector, or None with the reason among the degradations."""
        if self.embedder is None:
            self.degrade("no_query_vector", "no embedding model is configured; keywords answer alone")
            return None
        timeout = min(self.remaining(), self.request.embed_timeout_ms / 1000)
        if timeout <= 0:
            self.partial = True
            self.degrade("deadline", "no time was left for the vectors; keywords answer alone")
            return None
        with self.stage("embed_query"):
            try:
                if facts.model is None:
                    self.embedder.identity()
                    self.degrade("no_vectors", "no chunk has a vector yet")
                    return None
                embedder = self._embedder_of(facts.model.identity, self.embedder)
                if embedder is None:
                    return None
                vector = embedder.embed_query(self.request.query, timeout=timeout)
                if is_usable(vector[np.newaxis], rows=1, dims=facts.model.identity.dims):
                    return vector
                self.degrade("no_query_vector", "the model gave a vector that cannot be used; keywords answer alone")
                return None
            except EmbedderUnavailable as error:
                if self.remaining() <= 0:
                    self.partial = True
                    self.degrade("deadline", "the time ran out while the query was embedded")
                self.degrade("no_query_vector", error.advice())
                return None

    def _embedder_of(self, indexed: EmbeddingIdentity, embedder: Embedder) -> Embedder | None:
        """Whoever makes vectors like those of the index; None, with the reason, when nobody does any more."""
        wanted = embedder.identity()
        if wanted.fingerprint == indexed.fingerprint:
            return embedder
        former = self.former(indexed)
        answers = "keywords answer" if former is None else f"the vectors of {indexed.model} answer"
        self.degrade(
            "stale_vectors",
            f"the index was made with {indexed.model}, the model is now {wanted.model}; {answers} until it is rebuilt",
        )
        return former

    def _rank(self, connection: Connection, legs: _Legs, query: KeywordQuery, ranking: Ranking) -> list[Candidate]:
        """The best candidates, best score first."""
        with self.stage("rank"):
            keyword = legs.keyword or KeywordLeg([], 0.0)
            cosines = legs.nearest.cosines if legs.nearest is not None else {}
            named = frozenset(legs.named)
            if self.request.visible_session is not None:
                found = {hit.chunk_id for hit in keyword.hits} | cosines.keys() | named
                hidden = hidden_chunks(connection, found, self.request.visible_session)
                keyword = KeywordLeg([hit for hit in keyword.hits if hit.chunk_id not in hidden], keyword.ideal)
                cosines = {chunk_id: cosine for chunk_id, cosine in cosines.items() if chunk_id not in hidden}
                named -= hidden
            weights = weights_of(ranking, keyword=legs.keyword is not None, vector=legs.nearest is not None)
            candidates = load_candidates(connection, fuse(keyword, cosines, ranking, weights, named=named))
            if ranking.keyword_norm == "reference":
                load_texts(connection, candidates)
                terms = [part for term in (*query.required, *query.terms) for part in term.parts]
                for candidate in candidates:
                    candidate.fused = boosted(candidate.fused, candidate.text, candidate.path, terms, weights)
            now = self.request.now or datetime.now(UTC)
            weigh(candidates, ranking, now, frozenset(self.request.projects))
            for candidate in candidates:
                if candidate.fused.chunk_id in named:
                    candidate.score = candidate.project_factor
            return sorted(
                candidates,
                key=lambda c: (c.fused.chunk_id not in named, -c.score, c.path, c.start_line, c.fused.chunk_id),
            )

    def _doubt(self, ordered: list[Candidate], ranking: Ranking) -> str:
        """Why nothing that was found is likely to answer; "" when something is."""
        best = max((candidate.score for candidate in ordered), default=0.0)
        if best >= ranking.answers_from:
            return ""
        return f"the best passage scores {best:.2f}; below {ranking.answers_from:.2f} it rarely answers the question"

    def _select(
        self, connection: Connection, ordered: list[Candidate], query: KeywordQuery, ranking: Ranking, legs: _Legs
    ) -> list[Hit]:
        """What passes `min_score`, in MMR order, then hits of the keyword leg alone (semantics 4.7)."""
        with self.stage("select"):
            pattern = highlighter(query)
            strict = [c for c in ordered if c.score >= self.request.min_score]
            chosen = [(c, "min_score") for c in self._diversified(connection, strict, ranking, pattern, legs)]
            chosen += [(c, "keyword") for c in self._keyword_hits(ordered, bool(strict))]
            weights = weights_of(ranking, keyword=legs.keyword is not None, vector=legs.nearest is not None)
            hits: list[Hit] = []
            for candidate, how in chosen:
                if len(hits) == self.request.max_results:
                    break
                load_texts(connection, [candidate])
                shown = self._passage(candidate, pattern, legs)
                if not any(_repeats(candidate, shown, hit) for hit in hits):
                    how = "file name" if candidate.fused.chunk_id in legs.named else how
                    hits.append(self._hit(candidate, shown, weights, how))
            return hits

    def _diversified(
        self,
        connection: Connection,
        strict: list[Candidate],
        ranking: Ranking,
        pattern: re.Pattern[str] | None,
        legs: _Legs,
    ) -> list[Candidate]:
        """In MMR order as far as the answer can reach; the file that was named stays first."""
        pool = strict[:POOL]
        if not ranking.mmr or len(pool) < 2:
            return strict
        load_texts(connection, pool)
        order = diversify(
            [candidate.score for candidate in pool],
            lambda index: self._passage(pool[index], pattern, legs).text,
            ranking.mmr_lambda,
            # A few more than asked for, because some may repeat others.
            2 * self.request.max_results,
        )
        for index, penalty in order:
            pool[index].mmr_penalty = penalty
        taken = {index for index, _ in order}
        rest = [candidate for index, candidate in enumerate(pool) if index not in taken]
        return [*(pool[index] for index, _ in order), *rest, *strict[POOL:]]

    def _keyword_hits(self, ordered: list[Candidate], some_passed: bool) -> list[Candidate]:
        """Below `min_score` but with the query's words: all of them when nothing passed, else those whose keyword
        score would pass on its own. They fill the list, they displace nothing."""
        least = self.request.min_score if some_passed else 0.0
        return [
            c
            for c in ordered
            if c.score < self.request.min_score and c.fused.keyword_rank is not None and c.fused.keyword_score >= least
        ]

    def _passage(self, candidate: Candidate, pattern: re.Pattern[str] | None, legs: _Legs) -> Passage:
        """Around the query's words, or around the nearest passage where none of them occurs."""
        nearest = legs.nearest.ordinal(candidate.fused.chunk_id) if legs.nearest is not None else None
        return passage(candidate.text, candidate.start_line, pattern, self.request.snippet_chars, nearest=nearest)

    def _hit(self, c: Candidate, shown: Passage, weights: Weights, how: str) -> Hit:
        cited = citation(c.path, c.start_line, c.end_line) if self.request.citations else None
        return Hit(
            path=c.path,
            start_line=c.start_line,
            end_line=c.end_line,
            score=min(1.0, c.score),
            vector_score=c.fused.vector_score,
            keyword_score=c.fused.keyword_score,
            snippet=with_source(shown.text, cited) if cited else shown.text,
            snippet_start_line=shown.start_line,
            snippet_end_line=shown.end_line,
            collection=self.names[c.collection],
            source=c.source,
            docid=docid(c.file_hash),
            origin=c.origin,
            citation=cited,
            importance=c.importance,
            date=c.day,
            explain=_explain(c, weights, how) if self.request.explain else None,
        )

    def _why_empty(
        self,
        facts: IndexFacts,
        query: KeywordQuery,
        collections: frozenset[int] | None,
        ordered: list[Candidate],
    ) -> str:
        """In words, for the person whose search found nothing."""
        if not facts.chunks:
            return "the index holds no text yet"
        if collections is not None and not collections:
            return "none of the asked collections is indexed yet"
        if not query and self.request.mode == "search":
            return "the query holds no word to look for"
        if ordered:
            return f"{len(ordered)} passages were found, the best scores {ordered[0].score:.2f}, below min_score"
        return "no indexed text has these words or comes near this meaning"


def _repeats(candidate: Candidate, shown: Passage, hit: Hit) -> bool:
    """Whether the passage stands whole in a hit above, because neighbouring chunks overlap."""
    return (
        hit.path == candidate.path
        and hit.snippet_start_line <= shown.start_line
        and shown.end_line <= hit.snippet_end_line
        and shown.text.strip() in hit.snippet
    )


def _explain(c: Candidate, weights: Weights, how: str) -> Explain:
    return Explain(
        keyword_rank=c.fused.keyword_rank,
        keyword_raw=c.fused.keyword_raw,
        keyword_score=c.fused.keyword_score,
        vector_rank=c.fused.vector_rank,
        vector_raw=c.fused.vector_raw,
        vector_score=c.fused.vector_score,
        keyword_weight=weights.keyword,
        vector_weight=weights.vector,
        fused=c.fused.score,
        age_days=c.age_days,
        decay=c.decay,
        importance=c.importance_factor,
        project=c.project_factor,
        score=min(1.0, c.score),
        mmr_penalty=c.mmr_penalty,
        selected_by=how,
    )
