"""`/rerank` endpoints, in the shapes of Cohere, Jina, Voyage and llama.cpp."""

from __future__ import annotations

from typing import Any

import pytest

from search.errors import RerankerUnavailable
from search.runtime.providers.address import Address
from search.runtime.providers.reranker import RemoteReranker
from tests.unit.providers.conftest import KEY, Serve
from tests.unit.providers.vendors import Asked, Said, VendorServer


def reranker_at(server: VendorServer, provider: str = "cohere", model: str = "m") -> RemoteReranker:
    return RemoteReranker(Address(provider, server.url, KEY), model)


def scored(name: str, score: str, *scores: float) -> Any:
    rows = [{"index": index, score: value} for index, value in enumerate(scores)]
    return {name: sorted(rows, key=lambda row: -row[score])} if name else rows


@pytest.mark.parametrize(
    "body",
    [
        scored("results", "relevance_score", 0.1, 0.9, 0.5),
        scored("data", "relevance_score", 0.1, 0.9, 0.5),
        scored("results", "score", 0.1, 0.9, 0.5),
        scored("", "score", 0.1, 0.9, 0.5),
    ],
)
def test_scores_come_back_in_the_documents_order(serve: Serve, body: Any) -> None:
    server = serve(lambda asked: Said(body))
    assert reranker_at(server).rerank("q", ["a", "b", "c"], timeout=5) == (0.1, 0.9, 0.5)


@pytest.mark.parametrize(("provider", "limit"), [("cohere", "top_n"), ("jina", "top_n"), ("voyage", "top_k")])
def test_every_document_is_asked_for(serve: Serve, provider: str, limit: str) -> None:
    server = serve(lambda asked: Said(scored("results", "relevance_score", 0.1, 0.9)))
    reranker_at(server, provider).rerank("q", ["a", "b"], timeout=5)
    assert server.asked[0].path == "/rerank"
    assert server.asked[0].body == {"model": "m", "query": "q", "documents": ["a", "b"], limit: 2}


def test_logits_become_probabilities(serve: Serve) -> None:
    server = serve(lambda asked: Said(scored("results", "relevance_score", -4.0, 0.0, 900.0)))
    low, middle, high = reranker_at(server).rerank("q", ["a", "b", "c"], timeout=5)
    assert (middle, low < 0.05, high > 0.99) == (0.5, True, True)


def test_nothing_is_asked_about_no_documents(serve: Serve) -> None:
    server = serve(lambda asked: Said({}))
    assert reranker_at(server).rerank("q", [], timeout=5) == ()
    assert not server.asked


def test_what_is_too_large_is_asked_in_parts_and_shortened(serve: Serve) -> None:
    def answer(asked: Asked) -> Said:
        documents = asked.body["documents"]
        if sum(map(len, documents)) > 2500:
            return Said({"message": "too many tokens: maximum request size"}, 400)
        return Said(scored("results", "relevance_score", *(len(document) / 10_000 for document in documents)))

    server = serve(answer)
    assert reranker_at(server).rerank("q", ["a" * 1000, "b" * 4000, "c" * 500], timeout=5) == (0.1, 0.2, 0.05)


@pytest.mark.parametrize(
    "said",
    [
        Said(scored("results", "relevance_score", 0.5)),
        Said(scored("results", "relevance_score", 0.5, float("nan"))),
        Said({"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}]}),
        Said({"results": "none"}),
        Said({}),
        Said("hello"),
        Said(b"not json"),
        Said({"message": "invalid api token"}, 401),
        Said({"message": "trial key limit; upgrade billing"}, 429),
    ],
)
def test_what_cannot_be_used_is_an_error_with_its_class(serve: Serve, said: Said) -> None:
    server = serve(lambda asked: said)
    with pytest.raises(RerankerUnavailable, match="cohere failed") as error:
        reranker_at(server).rerank("q", ["a", "b"], timeout=5)
    assert error.value.kind in ("bad_answer", "auth", "quota")
    assert len(server.asked) == 1
