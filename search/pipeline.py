"""search(): the one place that knows the order of the stages."""

from __future__ import annotations

from collections.abc import Sequence

from search.dates import find_dates
from search.errors import GeneratorUnavailable, IndexUnavailable
from search.expand import expand
from search.index.driver import Connection
from search.index.facts import IndexFacts, index_facts
from search.index.pool import reading
from search.journey import FindEmbedder, Journey, Models, no_former
from search.outcome import SearchOutcome
from search.profiles import Ranking, resolve
from search.rank.candidates import Candidate, load_candidates, load_texts
from search.rank.fusion import Weights, boosted, fuse, weights_of
from search.rank.late import JUDGED as JUDGED_LATE
from search.rank.late import late_scores
from search.rank.rerank import JUDGED, judge, verdict_weight
from search.rank.select import Selector
from search.rank.weigh import judge_late, weigh
from search.retrieve.keyword import KeywordLeg, term_weights
from search.retrieve.legs import Legs, Retriever
from search.runtime.protocols import Embedder, Generator, Reranker
from search.sentences import sentence
from search.spec import IndexSpec, SearchRequest
from search.variants import TypedQuery, Variant, parse_typed
from search.wordless import says_something

PROBE_SURE = 0.85
PROBE_AHEAD = 0.15
"""The words alone are sure when the first hit matches this share of the query and is this far ahead of a second."""
EXPAND_SECONDS = 5.0
NO_WORD = sentence("the question has no words to search for")


def search(
    spec: IndexSpec,
    request: SearchRequest,
    embedder: Embedder | None,
    former: FindEmbedder = no_former,
    *,
    reranker: Reranker | None = None,
    generator: Generator | None = None,
) -> SearchOutcome:
    """Answer one request from the index as it stands; never waits for indexing and never writes.

    Any query text is allowed. Parts that are missing degrade and are named in `degraded`; only an index that does
    not exist or cannot be read at all gives `unavailable`. Raises `BadQuery` for typed lines that contradict
    themselves (mode `query`).
    """
    journey = Journey(spec, request, Models(embedder, former, reranker, generator))
    asked = parse_typed(request.query) if request.mode == "query" else TypedQuery(request.query)
    try:
        with reading(spec.path) as connection:
            return _answer(journey, connection, asked)
    except IndexUnavailable as error:
        journey.degrade("no_index", error.advice())
        return journey.outcome("unavailable", reason=error.message)


def _answer(journey: Journey, connection: Connection, asked: TypedQuery) -> SearchOutcome:
    facts = index_facts(connection)
    journey.enter(facts)
    if not facts.complete:
        journey.degrade(
            "no_index", sentence("the index is being made; {chunks} passages are in it, as yet", chunks=facts.chunks)
        )
    if not asked.text.strip():
        return journey.outcome("empty", reason=sentence("the query is blank"))
    if not says_something(asked.text):
        return journey.outcome("empty", reason=NO_WORD)
    ranking = resolve(journey.request.ranking, journey.model)
    collections = _collections(journey, facts)
    if ranking.dates:
        journey.spans = find_dates(asked.text, journey.now().date())
    retriever = Retriever(journey, connection, facts, collections, ranking)
    legs = retriever.retrieve(asked.text)
    if journey.request.mode == "query":
        for variant in asked.variants or _variants(journey, asked, legs, ranking):
            retriever.add_variant(legs, variant)
    retriever.score(legs)
    journey.mode = legs.mode()
    weights = weights_of(ranking, keyword=legs.keyword is not None, vector=legs.nearest is not None)
    ordered = _rank(journey, connection, facts, legs, ranking, weights)
    selector = Selector(journey, connection, facts, legs, ranking, weights)
    if journey.request.mode == "query":
        ordered = _reranked(journey, connection, ordered, asked, selector)
    if journey.request.abstain and (doubt := _doubt(ordered, ranking)):
        return journey.outcome("abstained", reason=doubt)
    with journey.stage("select"):
        hits = selector.select(ordered)
    if hits:
        return journey.outcome("ok", hits)
    return journey.outcome("empty", reason=_why_empty(journey, facts, legs, collections, ordered))


def _collections(journey: Journey, facts: IndexFacts) -> frozenset[int] | None:
    """Ids of the collections to look into; None when that is the whole index."""
    asked = journey.request.collections
    allowed = set()
    for collection in journey.spec.collections:
        wanted = collection.name in asked if asked is not None else collection.include_by_default
        if journey.request.corpus != "all" and asked is None:
            wanted = wanted and collection.source == journey.request.corpus
        if wanted and collection.name in facts.collections:
            allowed.add(facts.collections[collection.name][0])
    everything = {entry[0] for entry in facts.collections.values()}
    return None if allowed == everything else frozenset(allowed)


def _variants(journey: Journey, asked: TypedQuery, legs: Legs, ranking: Ranking) -> tuple[Variant, ...]:
    """Other ways to ask, unless the words alone are sure or there is nobody to write them."""
    if not asked.intent and _sure(legs.keyword, ranking):
        return ()
    if journey.models.generator is None:
        journey.degrade("no_expansion", sentence("no generator is configured; the query is asked as it is"))
        return ()
    with journey.stage("expand"):
        try:
            return expand(asked.text, journey.models.generator, timeout=min(EXPAND_SECONDS, journey.remaining() / 2))
        except GeneratorUnavailable as error:
            journey.degrade("no_expansion", error.advice())
            return ()


def _sure(keyword: KeywordLeg | None, ranking: Ranking) -> bool:
    """Whether the words found what was meant. A single hit is no sign of it: nothing was there to be better than."""
    if keyword is None or len(keyword.hits) < 2:
        return False
    whole = max(keyword.hits[0].raw, ranking.coverage * keyword.ideal, 1e-12)
    first, second = (hit.raw / whole for hit in keyword.hits[:2])
    return first >= PROBE_SURE and keyword.hits[0].raw >= keyword.ideal and first - second >= PROBE_AHEAD


def _rank(
    journey: Journey, connection: Connection, facts: IndexFacts, legs: Legs, ranking: Ranking, weights: Weights
) -> list[Candidate]:
    """The best candidates, best score first, named files before all others."""
    with journey.stage("rank"):
        keyword = legs.keyword or KeywordLeg([], 0.0)
        cosines = legs.nearest.cosines if legs.nearest is not None else {}
        fused = fuse(keyword, cosines, ranking, weights, variants=legs.variants, named=legs.named, also=legs.dated)
        candidates = load_candidates(connection, fused)
        if ranking.keyword_norm == "reference":
            load_texts(connection, candidates)
            terms = [part for term in (*legs.query.required, *legs.query.terms) for part in term.parts]
            for candidate in candidates:
                candidate.fused = boosted(candidate.fused, candidate.text, candidate.path, terms, weights)
        weigh(candidates, ranking, journey.now(), frozenset(journey.request.projects), journey.spans)
        for candidate in candidates:
            if candidate.fused.chunk_id in legs.named:
                candidate.score = candidate.project_factor
        ordered = _in_order(candidates, legs)
    if ranking.late_weight and legs.tokens is not None:
        with journey.stage("late"):
            _judge_late(connection, facts, ordered, legs, ranking, journey.model)
            ordered = _in_order(ordered, legs)
    return ordered


def _judge_late(
    connection: Connection, facts: IndexFacts, ordered: list[Candidate], legs: Legs, ranking: Ranking, model: str
) -> None:
    """The best by the single tokens of the query; those that were not judged stay behind those that were."""
    assert legs.tokens is not None
    others = [candidate for candidate in ordered if candidate.fused.chunk_id not in legs.named]
    judged, rest = others[:JUDGED_LATE], others[JUDGED_LATE:]
    weights = term_weights(connection, facts, legs.query) if facts.words else {}
    verdicts = late_scores(connection, model, legs.tokens, weights, [one.fused.chunk_id for one in judged])
    judge_late(judged, verdicts, ranking.late_weight)
    least = min((candidate.score for candidate in judged), default=0.0)
    for candidate in rest:
        candidate.score = min(candidate.score, least)


def _in_order(candidates: Sequence[Candidate], legs: Legs) -> list[Candidate]:
    return sorted(
        candidates,
        key=lambda c: (c.fused.chunk_id not in legs.named, -c.score, c.path, c.start_line, c.fused.chunk_id),
    )


def _reranked(
    journey: Journey, connection: Connection, ordered: list[Candidate], asked: TypedQuery, selector: Selector
) -> list[Candidate]:
    """The best passages judged beside the query, as many as the time allows."""
    reranker = journey.models.reranker
    if reranker is None:
        journey.degrade("no_rerank", sentence("no reranker is configured; the fused order stands"))
        return ordered
    judged = [candidate for candidate in ordered if candidate.fused.chunk_id not in selector.legs.named][:JUDGED]
    load_texts(connection, judged)
    texts = [selector.window(candidate) for candidate in judged]
    query = f"{asked.intent}\n\n{asked.text}" if asked.intent else asked.text
    with journey.stage("rerank"):
        verdicts = judge(query, texts, reranker, seconds=max(0.0, journey.remaining() * 0.8))
    if verdicts.missing:
        journey.degrade("no_rerank", verdicts.missing)
    for place, score in verdicts.scores.items():
        candidate, weight = judged[place], verdict_weight(place)
        candidate.rerank_score, candidate.rerank_weight = score, weight
        candidate.score = (1 - weight) * candidate.weighed + weight * score
    return _in_order(ordered, selector.legs)


def _doubt(ordered: Sequence[Candidate], ranking: Ranking) -> str:
    """Why nothing that was found is likely to answer; "" when something is."""
    best = max((candidate.score for candidate in ordered), default=0.0)
    if best >= ranking.answers_from:
        return ""
    return sentence(
        "the best passage scores {best:.2f}; below {answers_from:.2f} a passage rarely answers the question",
        best=best,
        answers_from=ranking.answers_from,
    )


def _why_empty(
    journey: Journey,
    facts: IndexFacts,
    legs: Legs,
    collections: frozenset[int] | None,
    ordered: Sequence[Candidate],
) -> str:
    """In words, for the person whose search found nothing."""
    if not facts.chunks:
        return sentence("this memory has no text yet")
    if collections is not None and not collections:
        return sentence("the chosen collections aren't indexed yet")
    if not legs.query and journey.request.mode == "search":
        return NO_WORD
    if ordered:
        return sentence(
            "{count} passages were found, but the best score is {score:.2f}, below the minimum score (min_score)",
            count=len(ordered),
            score=ordered[0].score,
        )
    return sentence("no note matches these words or this meaning")
