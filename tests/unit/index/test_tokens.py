"""The bits of tokens: made with the vectors, kept by text, gone with it, and caught up on where they are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from search.index import driver
from search.index.rebuild import rebuild_index
from search.index.tokens import distinct
from search.index.update_files import forget_files
from search.runtime.protocols import Bits, Vectors
from tests.engine import TokenEmbedder, WordEmbedder, Workspace, ignore, never


def kept(workspace: Workspace) -> list[int]:
    """Rows of each chunk that has any."""
    connection = driver.open_reader(workspace.spec.path)
    try:
        return [len(row[0]) // 24 for row in connection.execute("SELECT bits FROM chunk_tokens")]
    finally:
        connection.close()


def test_they_come_with_the_vectors_and_unchanged_text_is_not_embedded_again(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    workspace.write("memory/a.md", "the spare key hangs behind the blue door\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    assert kept(workspace) == [7], "eight words, one of them twice"
    assert len(embedder.seen) == 1
    workspace.write("memory/b.md", "the spare key hangs behind the blue door\n")
    workspace.update(embedder.identity())
    assert workspace.embed(embedder).pending == 0
    rebuild_index(workspace.spec, embedder, budget_seconds=60, progress=ignore, cancelled=never)
    assert kept(workspace) == [7] and len(embedder.seen) == 1


def test_forgotten_text_leaves_none(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    note = workspace.write("memory/a.md", "the spare key hangs behind the blue door\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    note.unlink()
    forget_files(workspace.spec, ["memory/a.md"])
    assert kept(workspace) == []


def test_an_index_without_them_is_searched_meanwhile_and_brought_up_to_date(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    workspace.write("memory/a.md", "the spare key hangs behind the blue door\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    with_them = workspace.search("spare key", embedder, explain=True).results[0]
    connection = driver.open_writer(workspace.spec.path)
    connection.execute("DELETE FROM chunk_tokens")
    connection.close()

    without = workspace.search("spare key", embedder, explain=True)
    assert [hit.path for hit in without.results] == ["memory/a.md"] and not without.degraded
    assert with_them.explain and with_them.explain.late is not None
    assert without.results[0].explain and without.results[0].explain.late is None
    assert workspace.update(embedder.identity()).pending == 1
    assert workspace.embed(embedder).pending == 0
    assert kept(workspace) == [7]


def test_bits_of_an_earlier_version_are_made_anew(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    workspace.write("memory/a.md", "the spare key\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    connection = driver.open_writer(workspace.spec.path)
    connection.execute("UPDATE chunk_tokens SET version = version - 1")
    connection.close()
    hit = workspace.search("spare key", embedder, explain=True).results[0]
    assert hit.explain and hit.explain.late is None
    assert workspace.update(embedder.identity()).pending == 1
    workspace.embed(embedder)
    assert workspace.update(embedder.identity()).pending == 0


def test_where_they_are_switched_off_none_are_kept(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    workspace.write("memory/a.md", "the spare key\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    workspace.spec = replace(workspace.spec, tokens=False)
    assert workspace.update(embedder.identity()).pending == 0
    assert kept(workspace) == []
    workspace.write("memory/b.md", "the blue door\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    assert kept(workspace) == []


def test_a_model_without_tokens_waits_for_none(workspace: Workspace) -> None:
    embedder = WordEmbedder()
    workspace.write("memory/a.md", "the spare key\n")
    workspace.update(embedder.identity())
    assert workspace.embed(embedder).pending == 0
    assert kept(workspace) == [] and workspace.update(embedder.identity()).pending == 0


class OldMachine(TokenEmbedder):
    """Has vectors for us and no tokens."""

    def embed_documents_with_tokens(self, texts: Sequence[str], *, timeout: float) -> tuple[Vectors, tuple[Bits, ...]]:
        return self.embed_documents(texts, timeout=timeout), ()


def test_a_model_that_gives_none_is_not_asked_for_ever(workspace: Workspace) -> None:
    embedder = OldMachine()
    workspace.write("memory/a.md", "the spare key\n")
    workspace.update(embedder.identity())
    assert workspace.embed(embedder).pending == 0
    assert workspace.search("spare key", embedder).results


def test_tokens_that_are_nearly_the_same_are_kept_once() -> None:
    rows = np.random.RandomState(1).randint(0, 256, (5, 24)).astype(np.uint8)
    near = rows[2].copy()
    near[0] ^= 0b1111
    assert distinct(np.vstack([rows, near, rows[:2]])).tolist() == rows.tolist()
