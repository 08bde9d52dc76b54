"""Equal text of two agents is embedded once; whatever is wrong with the other index, the model is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from search.index.reader import index_status
from tests.engine import WordEmbedder, Workspace
from tests.unit.index.test_update import rows

NOTE = "# House\n\nThe spare key is under the blue pot.\n"


@pytest.fixture
def lender(tmp_path: Path) -> Workspace:
    """An agent whose index holds the vector of `NOTE`."""
    made = Workspace(tmp_path, "lender")
    made.write("memory/note.md", NOTE)
    made.update()
    made.embed(WordEmbedder())
    return made


@pytest.fixture
def borrower(tmp_path: Path, lender: Workspace) -> Workspace:
    """An agent that wrote the same note, whose vector waits and may come from the lender."""
    made = Workspace(tmp_path, "borrower")
    made.spec = replace(made.spec, vector_sources=(lender.spec.path,))
    made.write("memory/note.md", NOTE)
    made.update()
    return made


def test_equal_text_of_another_agent_is_not_embedded_again(lender: Workspace, borrower: Workspace) -> None:
    embedder = WordEmbedder()
    report = borrower.embed(embedder)
    assert (report.reused, report.embedded, report.pending) == (1, 0, 0)
    assert embedder.seen == []
    stored = "SELECT hash, parts FROM embedding_cache"
    assert rows(borrower, stored) == rows(lender, stored)
    assert borrower.paths("spare key", WordEmbedder(), mode="vsearch") == ["memory/note.md"]


def test_only_what_waits_is_taken(lender: Workspace, borrower: Workspace) -> None:
    lender.write("memory/secret.md", "The safe opens with 7731.")
    lender.update()
    lender.embed(WordEmbedder())
    borrower.write("memory/own.md", "The boiler is from 2019.")
    borrower.update()
    embedder = WordEmbedder()
    report = borrower.embed(embedder)
    assert (report.reused, report.embedded) == (1, 1)
    assert embedder.seen == ["The boiler is from 2019."]
    assert len(rows(borrower, "SELECT 1 FROM embedding_cache")) == 2


def test_nothing_is_taken_from_an_index_that_is_not_named(borrower: Workspace) -> None:
    borrower.spec = replace(borrower.spec, vector_sources=())
    embedder = WordEmbedder()
    assert (borrower.embed(embedder).reused, len(embedder.seen)) == (0, 1)


def test_vectors_of_another_model_are_not_taken(borrower: Workspace) -> None:
    embedder = WordEmbedder("words-2")
    assert (borrower.embed(embedder).reused, len(embedder.seen)) == (0, 1)
    assert index_status(borrower.spec, None).fingerprint == "words-2"


@pytest.mark.parametrize("content", [None, b"", b"no database at all " * 500], ids=["missing", "empty", "corrupt"])
def test_an_index_that_cannot_be_read_is_passed_over(
    lender: Workspace, borrower: Workspace, tmp_path: Path, content: bytes | None
) -> None:
    broken = tmp_path / "indexes" / "broken.sqlite"
    if content is not None:
        broken.write_bytes(content)
    borrower.write("memory/own.md", "The boiler is from 2019.")
    borrower.update()
    borrower.spec = replace(borrower.spec, vector_sources=(broken, lender.spec.path))
    embedder = WordEmbedder()
    report = borrower.embed(embedder)
    assert (report.reused, report.embedded, report.pending) == (1, 1, 0)
    assert embedder.seen == ["The boiler is from 2019."]


def test_a_page_damaged_deep_inside_costs_nothing_but_the_vectors(lender: Workspace, borrower: Workspace) -> None:
    for n in range(60):
        lender.write(f"memory/{n}.md", f"note {n} " * 60)
    lender.update()
    lender.embed(WordEmbedder())
    rows(lender, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(lender.spec.path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    lender.spec.path.write_bytes(content)
    embedder = WordEmbedder()
    report = borrower.embed(embedder)
    assert (report.reused, report.embedded, report.pending) == (0, 1, 0)
