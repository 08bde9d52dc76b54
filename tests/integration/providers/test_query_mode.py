"""Mode `query` of an agent with a reranker and a writer: both asked over HTTP, their part shown, their failure said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agents.memory import reads
from agents.memory.reads import Searched, SearchParams
from agents.models import Agent, ProviderChoice
from search.outcome import SearchOutcome
from tests import cast
from tests.unit.providers.vendors import Asked, Said, VendorServer, serving

EXPANSION = {"lex": ["azure flowerpot"], "vec": [], "hyde": []}


def writes_and_judges(asked: Asked) -> Said:
    """Expands every question the same way, and likes passages that speak of a pot."""
    if asked.path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": json.dumps(EXPANSION)}
        return Said({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    scores = [0.9 if "pot" in text else 0.1 for text in asked.body["documents"]]
    return Said({"results": [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]})


@pytest.fixture
def vendor(db: None, settings: Any) -> Iterator[VendorServer]:
    with serving(writes_and_judges) as server:
        settings.MEMORY_PROVIDER_URLS = {"openai": server.url, "compatible": server.url}
        ProviderChoice.objects.create(role="rerank", model="compatible:judge")
        ProviderChoice.objects.create(role="generate", model="openai:writer")
        yield server


def ask(agent: Agent, query: str) -> SearchOutcome:
    params = SearchParams(query=query, mode="query", min_score=0.0, explain=True)
    found = reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=params)
    assert isinstance(found, Searched)
    return found.outcome


def test_verdicts_and_variants_are_part_of_the_answer(vendor: VendorServer, al: Agent) -> None:
    outcome = ask(al, "where is the spare key kept")
    assert {"/chat/completions", "/rerank"} <= {asked.path for asked in vendor.asked}
    assert all(hit.rerank_score in (0.1, 0.9) for hit in outcome.results)
    assert not {"no_rerank", "no_expansion"} & {item.code for item in outcome.degraded}


def test_a_service_that_fails_is_said_and_the_words_answer(vendor: VendorServer, al: Agent) -> None:
    vendor.answer = lambda asked: Said({"error": {"message": "bad key"}}, 401)
    outcome = ask(al, "where is the other spare key kept")
    assert {"no_rerank", "no_expansion"} <= {item.code for item in outcome.degraded}
    assert outcome.results[0].path == "MEMORY.md"


def test_other_modes_ask_neither(vendor: VendorServer, al: Agent) -> None:
    params = SearchParams(query="spare key", mode="hybrid")
    reads.search(agent=al, caller=cast.TRUSTED, session=None, params=params)
    assert vendor.asked == []
