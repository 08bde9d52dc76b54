"""Another embedding model: the next index grows beside the live one, which goes on answering, and replaces it whole."""

from __future__ import annotations

import multiprocessing
import threading

import apsw
import numpy as np
import pytest

from search.errors import Cancelled, EmbedderUnavailable, IndexBusy, ModelGaveNothing
from search.index.locks import build_lock
from search.index.rebuild import build_path, drop_unwanted_build, rebuild_index, remove_index
from search.index.report import RebuildReport
from search.index.update import update_index
from search.pipeline import search
from search.spec import SearchRequest
from tests.engine import WordEmbedder, Workspace, ignore, never

OLD, NEW = "words-1", "words-2"
SEVEN = " ".join(f"word7x{place}" for place in range(100))
"""The words of memory/7.md alone."""


def bout(workspace: Workspace, embedder: WordEmbedder, seconds: float = 60, cancelled=never) -> RebuildReport:
    return rebuild_index(workspace.spec, embedder, budget_seconds=seconds, progress=ignore, cancelled=cancelled)


def embedded_with_old(workspace: Workspace, files: int = 20) -> WordEmbedder:
    """An index of one chunk per file, all of them with the old model's vectors."""
    old = WordEmbedder(OLD)
    for number in range(files):
        words = " ".join(f"word{number}x{place}" for place in range(100))
        workspace.write(f"memory/{number}.md", f"common subject{number} {words}")
    workspace.update()
    workspace.embed(old)
    return old


def models_of_vectors(workspace: Workspace) -> set[str]:
    """The identities that the chunks' vectors are of."""
    connection = apsw.Connection(str(workspace.spec.path))
    try:
        return {
            row[0]
            for row in connection.execute(
                "SELECT m.fingerprint FROM chunks c JOIN embedding_cache e ON e.id = c.emb_id"
                " JOIN models m ON m.id = e.model"
            )
        }
    finally:
        connection.close()


def codes(outcome) -> list[str]:
    return [degradation.code for degradation in outcome.degraded]


def test_an_update_notices_that_the_model_is_another(workspace):
    embedded_with_old(workspace)
    assert workspace.update(WordEmbedder(OLD).identity()).stale is False
    assert workspace.update(WordEmbedder(NEW).identity()).stale is True


def test_an_index_without_vectors_takes_the_new_model_at_once(workspace):
    workspace.write("memory/a.md", "alpha")
    workspace.update(WordEmbedder(OLD).identity())
    assert workspace.update(WordEmbedder(NEW, dims=32).identity()).stale is False
    assert workspace.embed(WordEmbedder(NEW, dims=32)).embedded == 1
    assert models_of_vectors(workspace) == {NEW}


def test_until_the_swap_the_old_vectors_answer_and_say_so(workspace):
    old = embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    report = bout(workspace, new, seconds=0)
    assert not report.swapped and report.pending > 0
    outcome = search(workspace.spec, SearchRequest(SEVEN, mode="vsearch"), new, lambda _: old)
    assert (outcome.results[0].path, outcome.mode, codes(outcome)) == ("memory/7.md", "vsearch", ["stale_vectors"])


def test_without_the_old_model_words_answer_until_the_swap(workspace):
    embedded_with_old(workspace)
    outcome = workspace.search("subject7", WordEmbedder(NEW))
    assert ([hit.path for hit in outcome.results], outcome.mode) == (["memory/7.md"], "search")
    assert codes(outcome) == ["stale_vectors"]


def test_the_swapped_index_holds_the_new_vectors_alone(workspace):
    embedded_with_old(workspace)
    new = WordEmbedder(NEW, dims=32)
    report = bout(workspace, new)
    assert (report.swapped, report.switched, report.pending, report.embedded) == (True, True, 0, report.chunks)
    assert models_of_vectors(workspace) == {NEW}
    outcome = workspace.search(SEVEN, new, mode="vsearch")
    assert (outcome.results[0].path, outcome.degraded) == ("memory/7.md", ())


def test_switching_back_embeds_nothing(workspace):
    embedded_with_old(workspace)
    bout(workspace, WordEmbedder(NEW, dims=32))
    again = WordEmbedder(OLD)
    report = bout(workspace, again)
    assert (report.swapped, report.embedded, again.seen) == (True, 0, [])
    assert models_of_vectors(workspace) == {OLD}


def test_bouts_go_on_where_the_last_one_stopped(workspace):
    embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    bouts = 0
    while not bout(workspace, new, seconds=0).swapped:
        bouts += 1
    assert bouts > 3
    assert len(new.seen) == len(set(new.seen))


def test_progress_counts_over_all_bouts(workspace):
    embedded_with_old(workspace)
    new, seen = WordEmbedder(NEW), []
    for _ in range(2):
        rebuild_index(workspace.spec, new, budget_seconds=0, progress=seen.append, cancelled=never)
    chunks = [(report.done, report.total) for report in seen if report.unit == "chunks"]
    assert chunks == sorted(chunks)
    assert len({total for _, total in chunks}) == 1


def test_notes_written_meanwhile_are_in_the_old_index_at_once_and_in_the_new_one_at_the_swap(workspace):
    embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    bout(workspace, new, seconds=0)
    workspace.write("memory/late.md", "latecomer")
    assert workspace.update(new.identity()).added == 1
    assert workspace.paths("latecomer") == ["memory/late.md"]
    assert bout(workspace, new).swapped
    assert workspace.paths("latecomer", new, mode="vsearch")[0] == "memory/late.md"


def test_a_cancelled_switch_leaves_the_old_index_and_can_be_resumed(workspace):
    embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    with pytest.raises(Cancelled):
        bout(workspace, new, cancelled=lambda: len(new.seen) > 8)
    assert models_of_vectors(workspace) == {OLD}
    done = len(new.seen)
    assert bout(workspace, new).swapped
    assert len(set(new.seen)) == len(new.seen) > done


def test_a_switch_given_up_hands_its_vectors_to_the_cache(workspace):
    old = embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    while len(new.seen) < 10:
        bout(workspace, new, seconds=0)
    drop_unwanted_build(workspace.spec.path, old.identity())
    assert not build_path(workspace.spec.path).exists()
    again = WordEmbedder(NEW)
    assert bout(workspace, again).swapped
    assert not set(again.seen) & set(new.seen)


def test_a_build_for_a_third_model_starts_afresh(workspace):
    embedded_with_old(workspace)
    bout(workspace, WordEmbedder(NEW), seconds=0)
    assert bout(workspace, WordEmbedder("words-3", dims=16)).swapped
    assert models_of_vectors(workspace) == {"words-3"}


def test_a_model_that_goes_away_leaves_the_build_for_its_return(workspace):
    embedded_with_old(workspace)
    new = WordEmbedder(NEW)
    bout(workspace, new, seconds=0)
    new.down = True
    with pytest.raises(EmbedderUnavailable):
        bout(workspace, new)
    new.down = False
    assert bout(workspace, new).swapped


def test_a_model_that_gives_nothing_never_replaces_one_that_works(workspace):
    class Empty(WordEmbedder):
        def embed_documents(self, texts, *, timeout):
            return np.zeros((len(texts), self.dims), np.float32)

    old = embedded_with_old(workspace)
    with pytest.raises(ModelGaveNothing):
        bout(workspace, Empty(NEW))
    assert workspace.search("subject7", old, mode="vsearch").degraded == ()
    assert bout(workspace, WordEmbedder(NEW)).swapped


def test_a_rebuild_without_a_model_keeps_the_vectors(workspace):
    old = embedded_with_old(workspace)
    report = rebuild_index(workspace.spec, None, budget_seconds=60, progress=ignore, cancelled=never)
    assert (report.swapped, report.pending) == (True, 0)
    assert workspace.search("subject7", old, mode="vsearch").degraded == ()


def test_nobody_builds_twice_at_once(workspace):
    embedded_with_old(workspace)
    with build_lock(workspace.spec.path), pytest.raises(IndexBusy):
        bout(workspace, WordEmbedder(NEW))


def test_nothing_is_left_beside_the_index(workspace):
    embedded_with_old(workspace)
    bout(workspace, WordEmbedder(NEW))
    left = {path.name.removeprefix("al.sqlite") for path in workspace.spec.path.parent.iterdir()}
    assert left <= {"", "-wal", "-shm", ".lock"}
    remove_index(workspace.spec.path)
    assert [path.name for path in workspace.spec.path.parent.iterdir()] == ["al.sqlite.lock"]


def test_a_corrupt_build_is_made_again(workspace):
    embedded_with_old(workspace)
    bout(workspace, WordEmbedder(NEW), seconds=0)
    build_path(workspace.spec.path).write_bytes(b"nonsense" * 5_000)
    assert bout(workspace, WordEmbedder(NEW)).swapped
    assert models_of_vectors(workspace) == {NEW}
    assert not list(workspace.spec.path.parent.glob("*.build*"))


def test_searches_never_see_two_models_at_once(workspace):
    old, new = embedded_with_old(workspace), WordEmbedder(NEW, dims=32)
    stop, seen = threading.Event(), set()

    def ask() -> None:
        request = SearchRequest("common", mode="vsearch", max_results=20, min_score=0.0)
        while not stop.is_set():
            outcome = search(workspace.spec, request, new, lambda _: old)
            seen.add((outcome.outcome, len(outcome.results), *codes(outcome)))

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    while not bout(workspace, new, seconds=0).swapped:
        pass
    stop.set()
    for asker in askers:
        asker.join()
    assert seen <= {("ok", 20, "stale_vectors"), ("ok", 20)}


def _switch_to_and_fro(workspace: Workspace) -> None:
    for round_ in range(10_000):
        while not bout(workspace, WordEmbedder(f"words-{round_}"), seconds=0.01).swapped:
            pass


def test_kill_9_at_any_moment_of_a_switch_leaves_an_index_that_answers(workspace):
    embedded_with_old(workspace)
    context = multiprocessing.get_context("fork")
    for _ in range(6):
        child = context.Process(target=_switch_to_and_fro, args=(workspace,))
        child.start()
        child.join(0.2)
        child.kill()
        child.join()
        assert workspace.paths("subject7") == ["memory/7.md"]
        assert len(models_of_vectors(workspace)) == 1
    assert bout(workspace, WordEmbedder("last")).swapped
    assert models_of_vectors(workspace) == {"last"}
    update_index(workspace.spec, identity=None, progress=ignore, cancelled=never)
