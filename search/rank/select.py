"""select(): from ranked candidates to the hits of the answer, each with its passage, citation and explanation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from search.citations import citation, with_source
from search.documents.conversion.kept import KeptTexts
from search.file_types import is_converted
from search.index.driver import Connection
from search.index.facts import IndexFacts
from search.index.reader import docid
from search.journey import Journey
from search.outcome import Explain, Hit
from search.profiles import Ranking
from search.rank.candidates import Candidate, load_texts
from search.rank.diversify import POOL, Likeness, VectorLikeness, WordLikeness, diversify
from search.rank.fusion import Weights
from search.retrieve.keyword import term_weights
from search.retrieve.legs import Legs
from search.retrieve.vector import vectors_by_chunk
from search.snippet import Part, Snippet, best_lines, query_words, window

COMPARED_CHARS = 700
"""Of a chunk, for MMR and the reranker: `snippet_chars` changes what is shown, never which hits there are."""


class Selector:
    """What passes `min_score`, in MMR order, then, where it is asked for, hits of the keyword leg alone."""

    def __init__(
        self,
        journey: Journey,
        connection: Connection,
        facts: IndexFacts,
        legs: Legs,
        ranking: Ranking,
        weights: Weights,
    ) -> None:
        self.journey = journey
        self.request = journey.request
        self.connection = connection
        self.legs = legs
        self.ranking = ranking
        self.weights = weights
        self.words = query_words(legs.query, term_weights(connection, facts, legs.query) if facts.words else {})
        self._windows: dict[int, str] = {}

    def select(self, ordered: Sequence[Candidate]) -> list[Hit]:
        """At most `max_results`; lines that one above shows already are left out."""
        strict = [candidate for candidate in ordered if candidate.score >= self.request.min_score]
        chosen = [(candidate, "min_score") for candidate in self._diversified(strict)]
        if self.request.keyword_fill:
            chosen += [(candidate, "keyword") for candidate in self._keyword_hits(ordered, some_passed=bool(strict))]
        hits: list[Hit] = []
        for candidate, how in chosen:
            if len(hits) == self.request.max_results:
                break
            load_texts(self.connection, [candidate])
            shown = self._snippet(candidate, hits)
            if shown is not None:
                named = candidate.fused.chunk_id in self.legs.named
                hits.append(self._hit(candidate, shown, "file name" if named else how))
        return hits

    def window(self, candidate: Candidate) -> str:
        """Around the query's words, or around the nearest passage where none of them occurs."""
        chunk_id = candidate.fused.chunk_id
        if chunk_id not in self._windows:
            nearest = self.legs.nearest.ordinal(chunk_id) if self.legs.nearest is not None else None
            self._windows[chunk_id] = window(candidate.text, self.words.marks, COMPARED_CHARS, nearest=nearest)
        return self._windows[chunk_id]

    def _snippet(self, candidate: Candidate, hits: Sequence[Hit]) -> Snippet | None:
        """The best lines without those that a hit above shows, as neighbouring chunks overlap; None: all are there."""
        above = [
            hit
            for hit in hits
            if hit.path == candidate.path
            and hit.start_line <= candidate.end_line
            and candidate.start_line <= hit.end_line
        ]
        near: list[float] = []
        if self.legs.nearest is not None:
            low, high = self.ranking.vector_floor, self.ranking.vector_ceiling
            near = ((self.legs.nearest.of(candidate.fused.chunk_id) - low) / (high - low)).tolist()
        return best_lines(
            candidate.text,
            candidate.start_line,
            self.words,
            near,
            self.request.snippet_chars,
            seen=partial(_seen, above=above) if above else None,
        )

    def _diversified(self, strict: list[Candidate]) -> list[Candidate]:
        """In MMR order as far as the answer can reach; files that were named stay first."""
        named = [candidate for candidate in strict if candidate.fused.chunk_id in self.legs.named]
        others = strict[len(named) :]
        pool = others[:POOL]
        if not self.ranking.mmr or len(pool) < 2:
            return strict
        order = diversify(
            [candidate.score for candidate in pool],
            lambda count: self._likeness(pool[:count]),
            self.ranking.mmr_lambda,
            # A few more than asked for, because some may repeat others.
            self.request.max_results + 4,
        )
        for index, penalty in order:
            pool[index].mmr_penalty = penalty
        taken = {index for index, _ in order}
        rest = [candidate for index, candidate in enumerate(pool) if index not in taken]
        return [*named, *(pool[index] for index, _ in order), *rest, *others[POOL:]]

    def _likeness(self, pool: Sequence[Candidate]) -> Likeness:
        if self.legs.nearest is not None and self.ranking.keyword_norm == "best":
            vectors = vectors_by_chunk(self.connection, [candidate.fused.chunk_id for candidate in pool])
            if len(vectors) == len(pool):
                return VectorLikeness([vectors[candidate.fused.chunk_id] for candidate in pool])
        load_texts(self.connection, pool)
        return WordLikeness([self.window(candidate) for candidate in pool])

    def _keyword_hits(self, ordered: Sequence[Candidate], *, some_passed: bool) -> list[Candidate]:
        """Below `min_score` but with the query's words: all of them when nothing passed, else those whose keyword
        score would pass on its own. They fill the list, they displace nothing."""
        least = self.request.min_score if some_passed else 0.0
        return [
            candidate
            for candidate in ordered
            if candidate.score < self.request.min_score
            and candidate.fused.keyword_rank is not None
            and candidate.fused.keyword_score >= least
        ]

    def _hit(self, c: Candidate, shown: Snippet, how: str) -> Hit:
        pages = None
        if is_converted(c.path) and (kept := KeptTexts(self.journey.spec.path).pages(c.file_hash)):
            pages = kept.pages_of(c.start_line, c.end_line)
        cited = citation(c.path, c.start_line, c.end_line, pages) if self.request.citations else None
        return Hit(
            path=c.path,
            start_line=c.start_line,
            end_line=c.end_line,
            score=min(1.0, c.score),
            vector_score=c.fused.vector_score,
            keyword_score=c.fused.keyword_score,
            rerank_score=c.rerank_score,
            late_score=c.late_score,
            snippet=with_source(shown.text, cited) if cited else shown.text,
            snippet_lines=shown.lines,
            collection=self.journey.collection_names[c.collection],
            source=c.source,
            docid=docid(c.file_hash),
            citation=cited,
            pages=pages,
            importance=c.importance,
            date=c.day,
            origin=c.origin,
            explain=self._explain(c, how) if self.request.explain else None,
        )

    def _explain(self, c: Candidate, how: str) -> Explain:
        return Explain(
            keyword_rank=c.fused.keyword_rank,
            keyword_raw=c.fused.keyword_raw,
            keyword_score=c.fused.keyword_score,
            vector_rank=c.fused.vector_rank,
            vector_raw=c.fused.vector_raw,
            vector_score=c.fused.vector_score,
            keyword_weight=self.weights.keyword,
            vector_weight=self.weights.vector,
            variants=c.fused.found_by,
            rrf=c.fused.rrf,
            fused=c.fused.score,
            late=c.late_score,
            late_weight=c.late_weight,
            relevance=c.relevance,
            age_days=c.age_days,
            decay=c.decay,
            importance=c.importance_factor,
            project=c.project_factor,
            date=c.date_factor,
            weighed=c.weighed,
            rerank=c.rerank_score,
            rerank_weight=c.rerank_weight,
            score=min(1.0, c.score),
            mmr_penalty=c.mmr_penalty,
            selected_by=how,
        )


def _seen(part: Part, above: Sequence[Hit]) -> bool:
    text = part.text.strip()
    return any(
        text in hit.snippet
        and any(start <= part.start_line and part.end_line <= end for start, end in hit.snippet_lines)
        for hit in above
    )
