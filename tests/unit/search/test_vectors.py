"""Bits choose what is compared in a large index, and what they let through is what every row would have given."""

from __future__ import annotations

import numpy as np
import pytest

from search.index import driver, embed
from search.index.facts import index_facts
from search.index.pool import reading
from search.index.vectors import chunk_vector, pack_passages, pack_vector, unpack_vectors
from search.retrieve import vector
from search.retrieve.vector import VectorHit, vector_leg
from tests.engine import WordEmbedder, Workspace

LIMIT = 5


def nearest(workspace: Workspace, text: str, collections: frozenset[int] | None = None) -> list[VectorHit]:
    query = WordEmbedder().embed_query(text, timeout=1)
    with reading(workspace.spec.path) as connection:
        return vector_leg(connection, index_facts(connection), query, collections, LIMIT)


@pytest.fixture
def many(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Forty notes, which count as a large index: their bits are written."""
    monkeypatch.setattr(embed, "BITS_FROM", 10)
    monkeypatch.setattr(vector, "_memory", vector._Memory())
    monkeypatch.setattr(vector, "COMPARED", 20)
    for number in range(40):
        workspace.write(f"memory/{number}.md", f"note {number} about thing{number} and colour{number % 7}")
    workspace.update()
    workspace.embed(WordEmbedder())
    return workspace


def test_bits_let_the_nearest_through(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    every_row = nearest(many, "thing12 colour5")
    monkeypatch.setattr(vector, "BITS_FROM", 10)
    chosen = nearest(many, "thing12 colour5")
    assert vector._memory._held, "the bits were looked at"
    assert chosen[:3] == every_row[:3]


def test_bits_follow_what_is_written_and_removed(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "BITS_FROM", 10)
    nearest(many, "zebra")
    many.write("memory/zebra.md", "zebra stripes")
    many.update()
    many.embed(WordEmbedder())
    assert nearest(many, "zebra stripes")[0].cosine > 0.99
    (many.spec.collections[0].root / "memory/zebra.md").unlink()
    many.update()
    assert all(hit.cosine < 0.9 for hit in nearest(many, "zebra stripes"))


@pytest.mark.parametrize("large", [False, True])
def test_other_collections_are_never_among_them(many: Workspace, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    monkeypatch.setattr(vector, "BITS_FROM", 10 if large else 100)
    assert nearest(many, "thing12", frozenset({1}))
    assert nearest(many, "thing12", frozenset({2})) == []
    assert nearest(many, "thing12", frozenset()) == []


@pytest.mark.parametrize("large", [False, True])
def test_numpy_gives_the_same_hits(many: Workspace, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    monkeypatch.setattr(vector, "BITS_FROM", 10 if large else 100)
    by_sql = nearest(many, "thing30 colour2")
    monkeypatch.setattr(driver, "_vec_library", lambda: "/nowhere/vec0")
    driver.capabilities.cache_clear()
    try:
        by_numpy = nearest(many, "thing30 colour2")
    finally:
        monkeypatch.undo()
        driver.capabilities.cache_clear()
    assert by_numpy == by_sql


def test_a_rounded_vector_points_the_same_way() -> None:
    rng = np.random.default_rng(4)
    passages = rng.standard_normal((9, 384)).astype(np.float32)
    passages /= np.linalg.norm(passages, axis=1, keepdims=True)
    mean = passages.mean(axis=0) / np.linalg.norm(passages.mean(axis=0))
    own = chunk_vector(pack_passages(passages), 384)
    assert float(own @ mean) > 0.9999
    assert float(unpack_vectors([pack_vector(own)])[0] @ mean) > 0.9995
