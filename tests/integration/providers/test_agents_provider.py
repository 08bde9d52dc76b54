"""An agent whose vectors come from a provider: embedded, searched, failing, and found again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.indexes.specs import index_spec
from agents.memory import reads
from agents.memory.reads import Searched, SearchParams
from agents.models import Agent, ProviderChoice
from agents.providers.role_models import embedder_for
from search.errors import EmbedderUnavailable
from search.index.embed import embed_pending
from search.index.report import EmbedReport
from search.outcome import SearchOutcome
from tests import cast
from tests.unit.providers.vendors import Asked, Said, VendorServer, data_answer, serving, texts_of

QUOTA = Said({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, 429)


def by_words(asked: Asked) -> Said:
    """Texts that share words are near to each other."""
    return Said(data_answer([[text.count(word) + 0.1 for word in ("key", "pot", "sun")] for text in texts_of(asked)]))


@pytest.fixture
def vendor(db: None, settings: Any) -> Iterator[VendorServer]:
    with serving(by_words) as server:
        settings.MEMORY_PROVIDER_URLS = {"openai": server.url}
        ProviderChoice.objects.create(role="embed", model="openai:words")
        yield server


def embed(agent: Agent) -> EmbedReport:
    embedder = embedder_for(agent)
    assert embedder is not None
    return embed_pending(
        index_spec(agent), embedder, budget_seconds=20, progress=lambda _: None, cancelled=lambda: False
    )


def search(agent: Agent, query: str) -> SearchOutcome:
    params = SearchParams(query=query, min_score=0.0)
    found = reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=params)
    assert isinstance(found, Searched)
    return found.outcome


def test_chunks_get_the_providers_vectors_and_searches_use_them(al: Agent, vendor: VendorServer) -> None:
    assert embed(al).pending == 0
    outcome = search(al, "key pot")
    assert (outcome.mode, outcome.provider, outcome.model, outcome.degraded) == ("hybrid", "openai", "words", ())


def test_a_provider_that_fails_later_is_named_with_its_class_and_words_answer(al: Agent, vendor: VendorServer) -> None:
    embed(al)
    vendor.answer = lambda asked: QUOTA
    outcome = search(al, "the spare key")
    assert (outcome.outcome, outcome.mode) == ("ok", "search")
    assert [(part.code, "openai failed (quota)" in part.detail) for part in outcome.degraded] == [
        ("no_query_vector", True)
    ]


def test_indexing_stops_at_a_failure_and_goes_on_when_the_provider_is_back(al: Agent, vendor: VendorServer) -> None:
    embed(al)
    cast.write_files(al, {"memory/2026-01-01.md": "The sun shone on the pot.\n"})
    cast.index(al)
    vendor.answer = lambda asked: QUOTA
    with pytest.raises(EmbedderUnavailable, match="quota"):
        embed(al)
    vendor.answer = by_words
    assert embed(al).pending == 0


def test_unchanged_text_is_never_sent_twice(al: Agent, vendor: VendorServer) -> None:
    embed(al)
    before = len(vendor.asked)
    cast.write_files(al, {"memory/copy.md": "# House\n\n- The spare key is under the blue pot.\n"})
    cast.index(al)
    embed(al)
    sent = [text for asked in vendor.asked[before:] for text in texts_of(asked)]
    assert not any("spare key" in text for text in sent)


def test_an_agent_that_wants_none_is_searched_by_words(al: Agent, vendor: VendorServer) -> None:
    embed(al)
    Agent.objects.filter(pk=al.pk).update(settings={"embed_model": "none"})
    al.refresh_from_db()
    outcome = search(al, "the spare key")
    assert (outcome.outcome, outcome.mode) == ("ok", "search")
    assert outcome.degraded[0].code == "no_query_vector"
