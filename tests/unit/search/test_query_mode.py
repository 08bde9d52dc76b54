"""Mode `query`: variants, fusion, verdicts; and what is said when a part of it is missing."""

import json

import pytest

from search.errors import BadQuery, GeneratorUnavailable, RerankerUnavailable
from search.expand import expand
from search.pipeline import search
from search.rank.rerank import judge
from search.spec import SearchRequest
from search.variants import Variant, parse_typed
from tests.engine import WordEmbedder, Workspace


class Writer:
    """A generator that answers what it was given."""

    name = "test:writer"

    def __init__(self, answer: str) -> None:
        self.answer, self.calls = answer, 0

    def generate(self, messages, *, max_tokens, timeout, json_schema=None, thinking="off"):
        self.calls += 1
        return self.answer


class Judge:
    """A reranker that likes one word; every instance has verdicts of its own."""

    def __init__(self, word: str, fail_after: int = 10**6) -> None:
        self.word, self.fail_after, self.judged = word, fail_after, 0
        self.name = f"test:{word}:{id(self)}"

    def rerank(self, query, documents, *, timeout):
        self.judged += len(documents)
        if self.judged > self.fail_after:
            raise RerankerUnavailable("the reranker is away")
        return tuple(1.0 if self.word in document else 0.0 for document in documents)


@pytest.fixture
def home(workspace):
    workspace.write("memory/tea.md", "Ana drinks green tea in the morning and in the evening.\n")
    workspace.write("memory/coffee.md", "The morning coffee is strong.\n")
    workspace.write("memory/beverage.md", "A hot beverage calms the nerves.\n")
    workspace.update()
    workspace.embed(WordEmbedder())
    return workspace


def ask(workspace: Workspace, query: str, **models):
    request = SearchRequest(query, mode="query", explain=True, min_score=0.0)
    return search(workspace.spec, request, WordEmbedder(), **models)


def test_without_models_it_is_the_hybrid_search_and_says_so(home):
    outcome = ask(home, "what does Ana drink")
    hybrid = home.search("what does Ana drink", WordEmbedder(), explain=True, min_score=0.0)
    assert outcome.results == hybrid.results
    assert [d.code for d in outcome.degraded] == ["no_expansion", "no_rerank"]


def test_a_variant_finds_what_the_query_did_not(home):
    writer = Writer(json.dumps({"lex": ["hot beverage"], "vec": [], "hyde": []}))
    outcome = ask(home, "Ana drinks", generator=writer)
    found = {hit.path: hit.explain for hit in outcome.results}
    assert [v.kind for v in found["memory/beverage.md"].variants] == ["lex"]
    assert found["memory/beverage.md"].rrf > 0


def test_a_sure_reranker_overturns_the_first(home):
    before = ask(home, "green tea morning").results[0].path
    after = ask(home, "green tea morning", reranker=Judge("nerves")).results[0]
    assert (before, after.path, after.rerank_score) == ("memory/tea.md", "memory/beverage.md", 1.0)


def test_the_explanation_recomputes_reranked_scores(home):
    outcome = ask(home, "green tea", reranker=Judge("coffee"))
    for hit in outcome.results:
        e = hit.explain
        assert e.score == pytest.approx((1 - e.rerank_weight) * e.weighed + e.rerank_weight * (e.rerank or 0.0))


def test_verdicts_are_remembered_but_failures_are_not():
    judge_ = Judge("tea", fail_after=4)
    texts = [f"tea number {n}" for n in range(8)]
    first = judge("tea", texts, judge_, seconds=5)
    assert len(first.scores) == 4
    assert "4 of 8" in first.missing and "away" in first.missing
    judge_.fail_after = 10**6
    assert len(judge("tea", texts, judge_, seconds=5).scores) == 8
    assert judge_.judged == 12


def test_no_time_means_no_verdicts_and_a_reason():
    verdicts = judge("tea", ["tea"], Judge("tea"), seconds=0)
    assert (verdicts.scores, verdicts.missing) == ({}, "0 of 1 passages were judged in time")


def test_a_question_is_expanded_once():
    writer = Writer('{"lex": ["a b"], "vec": ["c d?"], "hyde": ["e f."]}')
    assert expand("once only", writer, timeout=1) == expand("once only", writer, timeout=1)
    assert writer.calls == 1


@pytest.mark.parametrize("line", ["once only 2", "42 things", "", "网关重启", "x" * 301, "two\nlines"])
def test_lines_that_cannot_be_believed_are_left_out(line):
    writer = Writer(json.dumps({"lex": [line], "vec": [], "hyde": []}))
    writer.name = f"test:{line[:20]!r}"
    assert expand("once only", writer, timeout=1) == ()


@pytest.mark.parametrize("answer", ["", "nonsense", "{", '{"lex": [}'])
def test_nonsense_is_no_expansion_and_is_said(home, answer):
    writer = Writer(answer)
    writer.name = f"test:nonsense:{answer}"
    outcome = ask(home, "hot beverage", generator=writer)
    assert "no_expansion" in [d.code for d in outcome.degraded] and outcome.results
    with pytest.raises(GeneratorUnavailable):
        expand("hot beverage", writer, timeout=1)


def test_typed_lines_are_asked_as_they_are(home):
    outcome = ask(home, "lex: hot beverage\nvec: what does Ana drink\nintent: drinks at home")
    assert {"memory/beverage.md", "memory/tea.md"} <= {hit.path for hit in outcome.results}
    assert "no_expansion" not in [d.code for d in outcome.degraded]


def test_a_typed_query_is_read_line_by_line():
    typed = parse_typed("LEX: a b\n\n vec : c?\nhyde: d.\nintent: e")
    assert typed.variants == (Variant("lex", "a b"), Variant("vec", "c?"), Variant("hyde", "d."))
    assert (typed.text, typed.intent) == ("a b", "e")
    assert parse_typed("two\nplain lines").text == "two\nplain lines"
    assert parse_typed("expand: one question").text == "one question"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("lex: a\nplain", "line 2"),
        ("intent: alone", "cannot stand alone"),
        ("lex:", "line 1 is empty"),
        ("lex: a\nintent: b\nintent: c", "line 3 is a second"),
        ("expand: a\nlex: b", "stands alone"),
        ("\n".join(f"lex: {n}" for n in range(9)), "too many"),
    ],
)
def test_lines_that_contradict_themselves_are_named(query, says):
    with pytest.raises(BadQuery, match=says):
        parse_typed(query)
