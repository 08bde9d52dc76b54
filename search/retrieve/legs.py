"""retrieve(): ask both legs, and say what could not be asked and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from search.errors import EmbedderUnavailable
from search.index import driver
from search.index.driver import Connection
from search.index.facts import IndexFacts
from search.journey import Journey
from search.profiles import Ranking
from search.retrieve.dated import dated_chunks
from search.retrieve.keyword import KeywordLeg, keyword_leg
from search.retrieve.named import files_named
from search.retrieve.private import hidden_chunks
from search.retrieve.query import KeywordQuery, parse_query
from search.retrieve.vector import NearestPassages, nearest_passages, vector_leg
from search.runtime.centres import centre_query
from search.runtime.protocols import Embedder, QueryTokens, Vectors
from search.runtime.tokens import embed_query_with_tokens
from search.runtime.vectors import is_usable
from search.sentences import sentence
from search.spec import EmbeddingIdentity, Mode
from search.variants import Variant, VariantHits

_QueryVector = tuple[Vectors | None, QueryTokens | None]
_NOTHING: _QueryVector = (None, None)


@dataclass(slots=True)
class Legs:
    """What the legs found; None for a leg that was not asked or could not answer."""

    query: KeywordQuery
    keyword: KeywordLeg | None = None
    nearest: NearestPassages | None = None
    """Of the candidates of both legs and of all variants."""
    named: frozenset[int] = frozenset()
    """First chunks of the files that the query names outright."""
    dated: frozenset[int] = frozenset()
    """Chunks of the days that the query names."""
    variants: list[VariantHits] = field(default_factory=list)
    tokens: QueryTokens | None = None
    """Of the query itself, where the model gives any."""

    def mode(self) -> Mode:
        return "hybrid" if self.keyword and self.nearest else "vsearch" if self.nearest else "search"


class Retriever:
    """The legs of one index for one search."""

    def __init__(
        self,
        journey: Journey,
        connection: Connection,
        facts: IndexFacts,
        collections: frozenset[int] | None,
        ranking: Ranking,
    ) -> None:
        self.journey = journey
        self.connection = connection
        self.facts = facts
        self.collections = collections
        self.ranking = ranking
        self.vector: Vectors | None = None
        self._near: set[int] = set()

    def retrieve(self, text: str) -> Legs:
        """Both legs as far as the mode asks for them; a vector search without vectors falls back to the words."""
        mode = self.journey.request.mode
        legs = Legs(
            parse_query(text),
            named=frozenset(files_named(self.connection, text, self.collections)),
            dated=dated_chunks(self.connection, self.journey.spans, self.collections),
        )
        if mode != "vsearch":
            legs.keyword = self._keyword(legs.query)
        if mode != "search":
            self.vector, legs.tokens = self._query_vector(text)
            self._near = self._nearest_chunks(self.vector)
        if mode == "vsearch" and self.vector is None:
            legs.keyword = self._keyword(legs.query)
        if self.facts.pending and mode != "search":
            self.journey.degrade(
                "pending_embeddings",
                sentence(
                    "{pending} of {chunks} chunks are found by words only, as yet",
                    pending=self.facts.pending,
                    chunks=self.facts.chunks,
                ),
            )
        return legs

    def add_variant(self, legs: Legs, variant: Variant) -> None:
        """Ask the leg the variant is for; what it finds joins the candidates."""
        if variant.kind == "lex":
            leg = self._keyword(parse_query(variant.text))
            found = [hit.chunk_id for hit in leg.hits[: self.ranking.candidates]] if leg is not None else []
        elif self.vector is None:
            return
        else:
            vector, _ = self._query_vector(variant.text)
            if vector is None:
                return
            near = vector_leg(self.connection, self.facts, vector, self.collections, self.ranking.candidates)
            found = [hit.chunk_id for hit in near]
        if found:
            legs.variants.append(VariantHits(variant, tuple(found)))

    def score(self, legs: Legs) -> None:
        """Score every candidate by its nearest passage, and take out what the asking chat may not see."""
        found = self._near | legs.named | legs.dated
        found |= {hit.chunk_id for hit in legs.keyword.hits} if legs.keyword is not None else set()
        found |= {chunk_id for hits in legs.variants for chunk_id in hits.chunk_ids}
        hidden = self._hidden(found)
        if hidden:
            legs.named -= hidden
            legs.dated -= hidden
            legs.variants = [
                VariantHits(hits.variant, tuple(i for i in hits.chunk_ids if i not in hidden)) for hits in legs.variants
            ]
            if legs.keyword is not None:
                kept = [hit for hit in legs.keyword.hits if hit.chunk_id not in hidden]
                legs.keyword = KeywordLeg(kept, legs.keyword.ideal)
        if self.vector is not None:
            with self.journey.stage("vector"):
                legs.nearest = nearest_passages(self.connection, self.facts, self.vector, found - hidden)

    def _hidden(self, found: Collection[int]) -> frozenset[int]:
        visible = self.journey.request.visible_session
        return frozenset() if visible is None else hidden_chunks(self.connection, found, visible)

    def _keyword(self, query: KeywordQuery) -> KeywordLeg | None:
        if not self.facts.words:
            self.journey.degrade("no_keyword", sentence("the keyword index is missing; the next update makes it again"))
            return None
        with self.journey.stage("keyword"):
            try:
                return keyword_leg(self.connection, self.facts, query, self.collections, self.ranking.candidates)
            except driver.CorruptErrors:
                raise
            except driver.DatabaseError as error:
                self.journey.degrade("no_keyword", sentence("the keyword index cannot be read: {error}", error=error))
                return None

    def _nearest_chunks(self, vector: Vectors | None) -> set[int]:
        if vector is None:
            return set()
        with self.journey.stage("vector"):
            near = vector_leg(self.connection, self.facts, vector, self.collections, self.ranking.candidates)
        return {hit.chunk_id for hit in near}

    def _query_vector(self, text: str) -> _QueryVector:
        """The query's vector as the ranking compares it, or none with the reason among the degradations."""
        journey = self.journey
        if journey.models.embedder is None:
            journey.degrade("no_query_vector", sentence("no embedding model is configured; keywords answer alone"))
            return _NOTHING
        timeout = min(journey.remaining(), journey.request.embed_timeout_ms / 1000)
        if timeout <= 0:
            journey.partial = True
            journey.degrade("deadline", sentence("no time was left for the vectors; keywords answer alone"))
            return _NOTHING
        with journey.stage("embed_query"):
            try:
                return self._embed(text, journey.models.embedder, timeout)
            except EmbedderUnavailable as error:
                if journey.remaining() <= 0:
                    journey.partial = True
                    journey.degrade("deadline", sentence("the time ran out while the query was embedded"))
                journey.degrade("no_query_vector", error.advice())
                return _NOTHING

    def _embed(self, text: str, configured: Embedder, timeout: float) -> _QueryVector:
        if self.facts.model is None:
            configured.identity()  # a model that is away is the better reason
            self.journey.degrade("no_vectors", sentence("no chunk has a vector yet"))
            return _NOTHING
        indexed = self.facts.model.identity
        embedder = self._embedder_of(indexed, configured)
        if embedder is None:
            return _NOTHING
        vector, tokens = embed_query_with_tokens(embedder, text, timeout=timeout)
        if not is_usable(vector[np.newaxis], rows=1, dims=indexed.dims):
            self.journey.degrade(
                "no_query_vector", sentence("the model gave a vector that cannot be used; keywords answer alone")
            )
            return _NOTHING
        return (centre_query(vector, self.journey.model) if self.ranking.centre else vector), tokens

    def _embedder_of(self, indexed: EmbeddingIdentity, configured: Embedder) -> Embedder | None:
        """Whoever makes vectors like those of the index; None, with the reason, when nobody does any more."""
        wanted = configured.identity()
        if wanted.fingerprint == indexed.fingerprint:
            return configured
        former = self.journey.models.former(indexed)
        answers = (
            sentence("keywords answer")
            if former is None
            else sentence("the vectors of {model} answer", model=indexed.model)
        )
        self.journey.degrade(
            "stale_vectors",
            sentence(
                "the index was made with {model}, the model is now {model_2}; {answers} until it is rebuilt",
                model=indexed.model,
                model_2=wanted.model,
                answers=answers,
            ),
        )
        return former
