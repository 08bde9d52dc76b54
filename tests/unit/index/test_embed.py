"""Waiting chunks get their vectors, each text once; nothing is lost when the model goes away in between."""

import numpy as np
import pytest

from search.errors import EmbedderUnavailable, IdentityChanged, IndexDamaged
from search.index.reader import index_status
from tests.engine import WordEmbedder
from tests.unit.index.test_update import rows


def test_vectors_reach_the_cache_the_sql_table_and_the_segments(workspace):
    workspace.write("MEMORY.md", "- the key is under the flowerpot\n- the boiler is from 2019\n")
    workspace.update()
    report = workspace.embed(WordEmbedder())
    assert (report.embedded, report.pending) == (2, 0)
    assert len(rows(workspace, "SELECT 1 FROM embedding_cache")) == 2
    ((members,),) = rows(workspace, "SELECT coll FROM vec_seg")
    assert np.count_nonzero(np.frombuffer(members, "<u2")) == 2
    kept = rows(workspace, "SELECT embedding FROM chunks_vec")
    assert [len(vector) for (vector,) in kept] == [WordEmbedder().dims] * 2


def test_no_empty_index_is_made_where_one_has_gone(workspace):
    with pytest.raises(IndexDamaged):
        workspace.embed(WordEmbedder())
    assert not workspace.spec.path.exists()


def test_the_same_text_is_embedded_once(workspace):
    embedder = WordEmbedder()
    workspace.write("memory/a.md", "the same words")
    workspace.write("memory/b.md", "the same words")
    workspace.update()
    assert workspace.embed(embedder).embedded == 2
    assert len(embedder.seen) == 1


def test_an_edit_embeds_only_what_changed(workspace):
    embedder = WordEmbedder()
    path = workspace.write("MEMORY.md", "".join(f"- fact number {n}\n" for n in range(20)))
    workspace.update()
    workspace.embed(embedder)
    path.write_text(path.read_text() + "- one more\n")
    workspace.update()
    workspace.embed(embedder)
    assert len(embedder.seen) == 21


def test_what_was_stored_stays_when_the_model_goes_away(workspace):
    class Dying(WordEmbedder):
        def embed_documents(self, texts, *, timeout):
            self.down = len(self.seen) >= 20
            return super().embed_documents(texts, timeout=timeout)

    for n in range(6):
        workspace.write(f"memory/{n}.md", f"note {n} " * 300)
    workspace.update()
    with pytest.raises(EmbedderUnavailable):
        workspace.embed(Dying())
    status = index_status(workspace.spec, None)
    assert status.embedded >= 2
    assert status.pending == status.chunks - status.embedded


def test_an_empty_vector_is_never_stored(workspace):
    class Empty(WordEmbedder):
        def embed_documents(self, texts, *, timeout):
            return np.zeros((len(texts), self.dims), np.float32)

    workspace.write("memory/a.md", "alpha")
    workspace.update()
    report = workspace.embed(Empty())
    assert (report.embedded, report.refused, report.pending) == (0, 1, 0)
    assert rows(workspace, "SELECT 1 FROM embedding_cache") == []
    assert workspace.paths("alpha") == ["memory/a.md"]


def test_a_model_of_another_shape_is_refused(workspace):
    class Wrong(WordEmbedder):
        def embed_documents(self, texts, *, timeout):
            return np.ones((len(texts), 3), np.float32)

    workspace.write("memory/a.md", "alpha")
    workspace.update()
    with pytest.raises(EmbedderUnavailable, match="shape"):
        workspace.embed(Wrong())


def test_vectors_of_two_models_never_mix(workspace):
    workspace.write("memory/a.md", "alpha")
    workspace.update()
    workspace.embed(WordEmbedder("words-1"))
    workspace.write("memory/b.md", "bravo")
    workspace.update()
    with pytest.raises(IdentityChanged):
        workspace.embed(WordEmbedder("words-2"))
    outcome = workspace.search("alpha", WordEmbedder("words-2"))
    assert [d.code for d in outcome.degraded] == ["stale_vectors", "pending_embeddings"]
    assert [hit.path for hit in outcome.results] == ["memory/a.md"]
