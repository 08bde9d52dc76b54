"""The second choice takes over whole, and gives back whole."""

from __future__ import annotations

import time

import pytest

from search.errors import EmbedderUnavailable
from search.runtime.protocols import Message
from search.runtime.providers import fallback
from search.runtime.providers.address import Address
from search.runtime.providers.chat import OpenAIChat
from search.runtime.providers.fallback import FallbackEmbedder, FallbackGenerator, FallbackReranker
from search.runtime.providers.generator import RemoteGenerator
from search.runtime.providers.reranker import RemoteReranker
from tests.unit.providers.conftest import Serve, embedder_at
from tests.unit.providers.vendors import Said, well

QUOTA = Said({"error": {"code": "insufficient_quota"}}, 429)


def test_a_quota_error_makes_the_second_the_embedder_and_its_return_undoes_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = serve(lambda asked: QUOTA), serve(well("ollama"))
    both = FallbackEmbedder(embedder_at(first, "openai", dims=4), embedder_at(second, "ollama", dims=4))
    assert both.identity().provider == "openai"
    with pytest.raises(EmbedderUnavailable, match="quota"):
        both.embed_documents(["a"], timeout=5)
    assert both.identity().provider == "ollama"
    assert both.embed_documents(["a"], timeout=5).shape == (1, 4)

    first.answer = well("openai")
    monkeypatch.setattr(fallback, "PROBE_AGAIN_SECONDS", 0.0)
    both._probe_at = time.monotonic()
    assert both.identity().provider == "openai"


def test_a_passing_fault_changes_nothing(serve: Serve) -> None:
    first, second = serve(lambda asked: Said("", 503)), serve(well("ollama"))
    both = FallbackEmbedder(embedder_at(first, "openai", dims=4), embedder_at(second, "ollama", dims=4))
    with pytest.raises(EmbedderUnavailable, match="server_error"):
        both.embed_documents(["a"], timeout=0.4)
    assert both.identity().provider == "openai"
    assert not second.asked


def test_another_reranker_and_another_writer_fill_in_at_once(serve: Serve) -> None:
    broken = Address("openai", serve(lambda asked: QUOTA).url)
    ranking = Address("jina", serve(lambda asked: Said({"results": [{"index": 0, "relevance_score": 0.7}]})).url)
    writing = Address("mistral", serve(lambda asked: Said({"choices": [{"message": {"content": "hi"}}]})).url)
    rerank = FallbackReranker(RemoteReranker(broken, "m"), RemoteReranker(ranking, "m"))
    assert rerank.rerank("q", ["a"], timeout=5) == (0.7,)
    write = FallbackGenerator(RemoteGenerator(broken, "m", OpenAIChat()), RemoteGenerator(writing, "m", OpenAIChat()))
    assert write.generate([Message("user", "hi")], max_tokens=9, timeout=5) == "hi"
