"""What one agent asked is remembered for that agent alone: no other can tell it by the speed of an answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from agents.models import Agent
from agents.providers.role_models import embedder_for, former_embedder
from search.runtime import own_queries
from search.runtime.cache import LruCache
from search.runtime.own_queries import OwnQueries
from search.runtime.protocols import Vectors
from search.spec import EmbeddingIdentity


class Counting:
    """An embedder that counts what really reaches it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fingerprint = "f1"

    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("local", "m", 2, self.fingerprint)

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        self.asked.append(text)
        return np.array([1, 0], dtype=np.float32)

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return np.ones((len(texts), 2), dtype=np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Counting:
    monkeypatch.setattr(own_queries, "_owners", LruCache(own_queries.OWNERS))
    return Counting()


def ask(model: Counting, owner: str, text: str = "where is the key?") -> Vectors:
    return OwnQueries(model, owner).embed_query(text, timeout=1)


def test_an_owner_s_own_question_is_embedded_once(model: Counting) -> None:
    for _ in range(3):
        ask(model, "a")
    assert len(model.asked) == 1


def test_a_question_that_another_has_asked_is_as_fresh_as_any(model: Counting) -> None:
    for owner in ("a", "b", "c"):
        ask(model, owner)
    assert len(model.asked) == 3


def test_a_crowd_of_questions_pushes_nothing_of_another_out(model: Counting) -> None:
    ask(model, "a")
    for number in range(own_queries.QUERIES * 4):
        ask(model, "b", f"question {number}")
    model.asked.clear()
    ask(model, "a")
    assert model.asked == []


def test_what_is_remembered_is_bounded(model: Counting) -> None:
    for number in range(own_queries.QUERIES + 1):
        ask(model, "a", str(number))
    ask(model, "a", "0")
    assert model.asked[-1] == "0" and len(model.asked) == own_queries.QUERIES + 2


def test_another_model_gives_its_own_vector(model: Counting) -> None:
    ask(model, "a")
    model.fingerprint = "f2"
    ask(model, "a")
    assert len(model.asked) == 2


def test_a_remembered_vector_cannot_be_changed(model: Counting) -> None:
    with pytest.raises(ValueError, match="read-only"):
        ask(model, "a")[0] = 5


def test_agents_are_owners(model: Counting, al: Agent, al_2: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.providers.role_models.get_embedder", lambda: model)
    for agent in (al, al_2, al):
        own, former = embedder_for(agent), former_embedder(agent, model.identity())
        assert own is not None and former is not None
        own.embed_query("key", timeout=1)
        former.embed_query("key", timeout=1)
    assert model.asked == ["key", "key"]
