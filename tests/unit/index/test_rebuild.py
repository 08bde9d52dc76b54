"""A rebuild is swapped in whole under running searches; a removed index is gone."""

import multiprocessing
import threading

from search.index.reader import index_status
from search.index.rebuild import build_path, rebuild_index, remove_index
from tests.engine import WordEmbedder, Workspace, ignore, never


def rebuild(workspace, embedder):
    return rebuild_index(workspace.spec, embedder, budget_seconds=60, progress=ignore, cancelled=never)


def test_a_rebuild_keeps_the_vectors_and_loses_nothing(workspace):
    embedder = WordEmbedder()
    for n in range(30):
        workspace.write(f"memory/{n}.md", f"note about subject{n}")
    workspace.update()
    workspace.embed(embedder)
    before = workspace.search("subject7", embedder)
    report = rebuild(workspace, embedder)
    assert (report.scanned, report.pending, report.swapped) == (30, 0, True)
    assert len(embedder.seen) == 30
    assert workspace.search("subject7", embedder).results == before.results
    assert not build_path(workspace.spec.path).exists()


def test_searches_see_only_whole_states_during_rebuilds(workspace):
    embedder = WordEmbedder()
    for n in range(50):
        workspace.write(f"memory/{n}.md", f"common subject{n}")
    workspace.update()
    workspace.embed(embedder)
    stop, seen = threading.Event(), []

    def ask():
        while not stop.is_set():
            outcome = workspace.search("common", embedder, max_results=50, min_score=0.0)
            seen.append((outcome.outcome, len(outcome.results), outcome.degraded))

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    for _ in range(5):
        rebuild(workspace, embedder)
    stop.set()
    for asker in askers:
        asker.join()
    assert set(seen) == {("ok", 50, ())}


def test_a_removed_index_is_gone_with_its_side_files(workspace):
    workspace.write("memory/a.md", "alpha")
    workspace.update()
    remove_index(workspace.spec.path)
    assert [path.name for path in workspace.spec.path.parent.iterdir()] == ["al.sqlite.lock"]
    assert index_status(workspace.spec, None).exists is False


def _update_forever(workspace: Workspace) -> None:
    embedder = WordEmbedder()
    for round_ in range(10_000):
        for n in range(20):
            # In one step, or a kill leaves a note that is empty in truth.
            workspace.write(f"memory/{n}.part", f"round{round_} subject{n} " * 50).replace(
                workspace.root / f"memory/{n}.md"
            )
        workspace.update()
        workspace.embed(embedder)


def test_kill_9_at_any_moment_leaves_a_usable_index(workspace):
    context = multiprocessing.get_context("fork")
    for _ in range(8):
        child = context.Process(target=_update_forever, args=(workspace,))
        child.start()
        child.join(0.25)
        child.kill()
        child.join()
    workspace.update()
    workspace.embed(WordEmbedder())
    status = index_status(workspace.spec, None)
    assert (status.files, status.pending, status.embedded) == (20, 0, status.chunks)
    assert len(workspace.paths("subject7", max_results=50, min_score=0.0)) >= 1
