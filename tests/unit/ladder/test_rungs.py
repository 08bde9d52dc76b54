"""The ladder: each part is really broken, the answer is the best that is left and says so, and it heals by itself."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from search.errors import EmbedderUnavailable, IndexUnavailable
from search.index import driver, pool
from search.index.damage import is_damaged
from search.index.maintain import maintain_index
from search.index.rebuild import rebuild_index
from search.outcome import SearchOutcome
from tests.engine import WordEmbedder, Workspace, ignore, never
from workers.client import ModelsClient

NOTE = "The spare key is under the blue flowerpot"


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def indexed(workspace: Workspace, embedder: WordEmbedder) -> Workspace:
    workspace.write("memory/key.md", NOTE)
    workspace.write("memory/cat.md", "Mimi eats salmon only")
    workspace.update()
    workspace.embed(embedder)
    return workspace


def told(outcome: SearchOutcome) -> tuple[str, str, list[str]]:
    """The first hit, the mode it came by, and what was degraded."""
    first = outcome.results[0].path if outcome.results else ""
    return first, outcome.mode, [degradation.code for degradation in outcome.degraded]


WHOLE = ("memory/key.md", "hybrid", [])
WORDS_ALONE = ("memory/key.md", "search", ["no_query_vector"])


# The vector extension


@pytest.fixture
def without_extension(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The extension's file is not there: loading it really fails."""
    monkeypatch.setattr(driver, "_vec_library", lambda: "/nowhere/vec0")
    driver.capabilities.cache_clear()
    yield
    monkeypatch.undo()
    driver.capabilities.cache_clear()


def test_without_the_extension_numpy_finds_the_same(
    indexed: Workspace, embedder: WordEmbedder, without_extension: None
) -> None:
    assert told(indexed.search(NOTE, embedder)) == WHOLE


def test_what_is_indexed_without_the_extension_is_found_without_it(
    workspace: Workspace, embedder: WordEmbedder, without_extension: None
) -> None:
    workspace.write("memory/dog.md", "Rex barks at the postman")
    workspace.update()
    workspace.embed(embedder)
    assert workspace.paths("Rex postman", embedder, mode="vsearch") == ["memory/dog.md"]


# Words


def test_without_the_word_index_vectors_answer_until_it_is_made_again(
    indexed: Workspace, embedder: WordEmbedder
) -> None:
    writer = driver.open_writer(indexed.spec.path)
    writer.execute("DROP TABLE chunks_terms")
    writer.execute("DROP TABLE chunks_fts")
    writer.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    writer.close()
    assert told(indexed.search(NOTE, embedder)) == ("memory/key.md", "vsearch", ["no_keyword"])
    indexed.update()
    indexed.embed(embedder)
    assert told(indexed.search(NOTE, embedder)) == WHOLE
    assert len(embedder.seen) == 2, "the vectors were kept"


# The embedder


class Zeros(WordEmbedder):
    def _vector(self, text: str) -> np.ndarray:
        return np.zeros(self.dims, np.float32)


class NaNs(WordEmbedder):
    def _vector(self, text: str) -> np.ndarray:
        return np.full(self.dims, np.nan, np.float32)


class Narrow(WordEmbedder):
    """Says 64 dimensions, gives 3."""

    def _vector(self, text: str) -> np.ndarray:
        return np.ones(3, np.float32)


def test_without_an_embedder_words_answer(indexed: Workspace) -> None:
    assert told(indexed.search(NOTE, None)) == WORDS_ALONE


def test_a_failing_embedder_is_named_and_used_again_when_it_is_back(indexed: Workspace, embedder: WordEmbedder) -> None:
    embedder.down = True
    outcome = indexed.search(NOTE, embedder)
    assert (told(outcome), outcome.degraded[0].detail) == (WORDS_ALONE, "the model is away. Start it.")
    embedder.down = False
    assert told(indexed.search(NOTE, embedder)) == WHOLE


@pytest.mark.parametrize("broken", [Zeros, NaNs, Narrow])
def test_a_query_vector_that_cannot_be_used_is_not_used(indexed: Workspace, broken: type[WordEmbedder]) -> None:
    assert told(indexed.search(NOTE, broken())) == WORDS_ALONE


@pytest.mark.parametrize("broken", [Zeros, NaNs])
def test_a_chunk_vector_that_cannot_be_used_is_not_stored(
    workspace: Workspace, embedder: WordEmbedder, broken: type[WordEmbedder]
) -> None:
    workspace.write("memory/key.md", NOTE)
    workspace.update()
    assert workspace.embed(broken()).refused == 1
    assert told(workspace.search(NOTE, embedder, keyword_fill=True))[:2] == ("memory/key.md", "hybrid")


def test_vectors_of_another_dimension_stop_the_job(workspace: Workspace) -> None:
    workspace.write("memory/key.md", NOTE)
    workspace.update()
    with pytest.raises(EmbedderUnavailable, match="shape"):
        workspace.embed(Narrow())


def test_an_embedder_that_changes_under_way_stores_nothing_of_the_other(workspace: Workspace) -> None:
    class Turncoat(WordEmbedder):
        def embed_documents(self, texts, *, timeout):  # type: ignore[no-untyped-def]
            self.fingerprint = "words-2"
            return super().embed_documents(texts, timeout=timeout)

    workspace.write("memory/key.md", NOTE)
    workspace.update()
    with pytest.raises(EmbedderUnavailable, match="changed"):
        workspace.embed(Turncoat())
    reader = driver.open_reader(workspace.spec.path)
    assert reader.execute("SELECT count(*) FROM embedding_cache").get == 0
    reader.close()


def test_an_embedder_that_hangs_costs_its_time_limit_and_no_more(indexed: Workspace, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        client = ModelsClient(tmp_path / "s")
        client._identity = WordEmbedder().identity()
        started = time.monotonic()
        outcome = indexed.search(NOTE, client, embed_timeout_ms=200)
        client.close()
    assert told(outcome) == WORDS_ALONE
    assert time.monotonic() - started < 2.5


# The file


def damage(path: Path, table: str) -> None:
    """Overwrite the pages of one table; the rest of the file stays good."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
    size = connection.execute("PRAGMA page_size").get
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)


def close_readers(path: Path) -> None:
    pool._forget(path)


@pytest.mark.parametrize("table", ["chunks", "chunks_fts_data"])
def test_a_damaged_page_that_a_search_meets_is_mended_by_the_next_update(
    indexed: Workspace, embedder: WordEmbedder, table: str
) -> None:
    close_readers(indexed.spec.path)
    damage(indexed.spec.path, table)
    assert indexed.search(NOTE, embedder).outcome == "unavailable"
    assert is_damaged(indexed.spec.path)
    indexed.update()
    indexed.embed(embedder)
    assert told(indexed.search(NOTE, embedder)) == WHOLE
    assert len(embedder.seen) == 2, "the vectors were saved"
    assert len(list(indexed.spec.path.parent.glob("*.aside-*"))) >= 1


def test_a_damaged_page_is_found_at_night(indexed: Workspace) -> None:
    close_readers(indexed.spec.path)
    damage(indexed.spec.path, "embedding_cache")
    with pytest.raises(IndexUnavailable, match="damaged"):
        maintain_index(indexed.spec.path)
    indexed.update()
    assert indexed.paths(NOTE)[0] == "memory/key.md"


def test_embedding_never_makes_a_damaged_index_new(indexed: Workspace, embedder: WordEmbedder) -> None:
    close_readers(indexed.spec.path)
    indexed.spec.path.write_bytes(b"nonsense" * 4_000)
    with pytest.raises(IndexUnavailable, match="damaged"):
        indexed.embed(embedder)
    assert not list(indexed.spec.path.parent.glob("*.aside-*"))


# The disk


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """A small disk of its own under `tmp_path`; called with options it is mounted again with them."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "small", tmp_path], check=True, capture_output=True)
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("this container may not mount a small disk")

    def again(options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", tmp_path], check=True)

    yield again
    subprocess.run(["umount", "-l", tmp_path], check=True)


def test_on_a_full_disk_searches_answer_and_an_update_says_why_it_cannot_write(
    mounted: Callable[[str], None], tmp_path: Path, embedder: WordEmbedder
) -> None:
    workspace = Workspace(tmp_path)
    workspace.write("memory/key.md", NOTE)
    workspace.update()
    workspace.embed(embedder)
    workspace.write("memory/new.md", "novelty " + " ".join(f"word{number}" for number in range(20_000)))
    filler = tmp_path / "filler"
    with pytest.raises(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with pytest.raises(IndexUnavailable, match="cannot be written") as failure:
        workspace.update()
    assert "disk space" in failure.value.hint
    with pytest.raises(IndexUnavailable):
        rebuild_index(workspace.spec, WordEmbedder("words-2"), budget_seconds=9, progress=ignore, cancelled=never)
    assert told(workspace.search(NOTE, embedder)) == WHOLE
    assert not list(workspace.spec.path.parent.glob("*.build*"))
    filler.unlink()
    workspace.update()
    assert workspace.paths("novelty") == ["memory/new.md"]


def test_on_a_read_only_disk_searches_answer_and_see_later_changes(
    mounted: Callable[[str], None], tmp_path: Path, embedder: WordEmbedder
) -> None:
    workspace = Workspace(tmp_path)
    workspace.write("memory/key.md", NOTE)
    workspace.update()
    workspace.embed(embedder)
    close_readers(workspace.spec.path)
    mounted("ro")
    assert told(workspace.search(NOTE, embedder)) == WHOLE
    with pytest.raises((IndexUnavailable, OSError)):
        workspace.update()
    mounted("rw")
    workspace.write("memory/new.md", "novelty")
    workspace.update()
    assert workspace.paths("novelty") == ["memory/new.md"]
