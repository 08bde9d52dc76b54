"""An index whose words were cut by an earlier version is made again by the next update, without embedding again."""

from __future__ import annotations

import pytest

from search.index import driver
from tests.engine import WordEmbedder, Workspace


@pytest.mark.parametrize("meta", ["schema_version", "terms_version"])
def test_words_of_an_earlier_version_are_written_again_and_vectors_stay(workspace: Workspace, meta: str) -> None:
    embedder = WordEmbedder()
    workspace.write("MEMORY.md", "- แม่ซื้อมะม่วงที่ตลาดน้ำ\n- Die Straße war gesperrt\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    embedded = list(embedder.seen)
    old = driver.open_writer(workspace.spec.path)
    old.execute("DROP TABLE chunks_terms; DROP TABLE chunks_fts")
    old.execute("CREATE VIRTUAL TABLE chunks_fts USING fts5(title, path, body, tags, content='', contentless_delete=1)")
    old.execute("UPDATE meta SET value = value - 1 WHERE key = ?", (meta,))
    old.close()

    workspace.update(embedder.identity())

    assert workspace.embed(embedder).pending == 0
    assert embedded and embedder.seen == embedded
    assert "มะม่วง" in workspace.search("มะม่วง", mode="search", min_score=0).results[0].snippet
    assert "Straße" in workspace.search("strasse", mode="search", min_score=0).results[0].snippet
