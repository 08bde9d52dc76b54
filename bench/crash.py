"""kill -9 at random moments of embedding and of a model switch: is anything lost, orphaned or left locked?

    python -m bench.crash [--kills 50]

After every kill the index is checked whole: SQLite's own check, every chunk's vector of one model, the copies of words
and vectors in step, both locks free, and a search that answers. At the end the work is finished and counted. Vectors
are synthetic and slowed down, so that the kills meet real work.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.engine import quiet
from bench.synthetic import Notes, SyntheticEmbedder, index_spec, write_workspace
from search.evaluation.machine import describe_machine
from search.index import driver
from search.index.embed import embed_pending
from search.index.locks import build_lock, writer_lock
from search.index.reader import index_status
from search.index.rebuild import rebuild_index
from search.index.schema import SEGMENT
from search.index.update import update_index
from search.pipeline import search
from search.runtime.protocols import Vectors
from search.spec import EmbeddingIdentity, IndexSpec, SearchRequest

FILES = 60
CHARS = 12_800
CHANGED = 20
SLICE_SECONDS = 0.004
Job = Callable[[IndexSpec, int], None]


class Slowed(SyntheticEmbedder):
    """Model number `number`: vectors of its own, a few milliseconds a slice."""

    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self._number = number

    def identity(self) -> EmbeddingIdentity:
        known = super().identity()
        return EmbeddingIdentity(known.provider, known.model, known.dims, f"{known.fingerprint}-{self._number}")

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        time.sleep(SLICE_SECONDS)
        return super().embed_documents([f"{self._number} {text}" for text in texts], timeout=timeout)


def update(spec: IndexSpec) -> None:
    update_index(spec, identity=None, progress=quiet, cancelled=lambda: False, lock_timeout=5)


def embed_all(spec: IndexSpec, model: int) -> None:
    embed_pending(spec, Slowed(model), budget_seconds=600, progress=quiet, cancelled=lambda: False)


def switch(spec: IndexSpec, model: int) -> None:
    """Bouts of a fifth of a second until the index is of this model."""
    done = False
    while not done:
        report = rebuild_index(spec, Slowed(model), budget_seconds=0.2, progress=quiet, cancelled=lambda: False)
        done = report.swapped


def kill_during(job: Job, spec: IndexSpec, model: int, after: float) -> bool:
    """True when the job was still at work."""
    child = multiprocessing.get_context("fork").Process(target=job, args=(spec, model))
    child.start()
    child.join(after)
    alive = child.is_alive()
    child.kill()
    child.join()
    return alive


def check(spec: IndexSpec) -> None:
    """Ends the measurement at the first thing that is wrong."""
    with build_lock(spec.path), writer_lock(spec.path):
        connection = driver.open_writer(spec.path)
        try:
            _expect(connection.execute("PRAGMA integrity_check(1)").get == "ok", "the file is damaged")
            chunks = {row[0] for row in connection.execute("SELECT id FROM chunks")}
            words = {row[0] for row in connection.execute("SELECT rowid FROM chunks_fts")}
            vectors = {row[0] for row in connection.execute("SELECT id FROM chunks WHERE emb_id IS NOT NULL")}
            copies = {row[0] for row in connection.execute("SELECT chunk_id FROM chunks_vec")}
            held = {
                seg * SEGMENT + int(slot)
                for seg, members in connection.execute("SELECT seg, coll FROM vec_seg")
                for slot in np.flatnonzero(np.frombuffer(members, "<u2"))
            }
            models = connection.execute(
                "SELECT count(DISTINCT e.model) FROM chunks c JOIN embedding_cache e ON e.id = c.emb_id"
            ).get
            orphans = connection.execute(
                "SELECT count(*) FROM chunks c WHERE (c.emb_id IS NOT NULL AND NOT EXISTS"
                " (SELECT 1 FROM embedding_cache e WHERE e.id = c.emb_id))"
                " OR NOT EXISTS (SELECT 1 FROM files f WHERE f.id = c.file_id)"
            ).get
        finally:
            connection.close()
    _expect(words == chunks, "words and chunks differ")
    _expect(copies == vectors == held, "vectors and their copies differ")
    _expect(models <= 1, "vectors of two models are mixed")
    _expect(orphans == 0, f"{orphans} orphans")
    _expect(search(spec, SearchRequest("the", min_score=0.0), None).outcome in ("ok", "empty"), "no search")


def _expect(good: bool, wrong: str) -> None:
    if not good:
        raise SystemExit(f"FAILED: {wrong}")


def leftovers(spec: IndexSpec) -> set[str]:
    """Files beside the index that belong to no finished work."""
    expected = {spec.path.name + suffix for suffix in ("", "-wal", "-shm", ".lock")}
    return {path.name for path in spec.path.parent.iterdir()} - expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    kills = parser.parse_args().kills
    print(describe_machine())
    choose, notes = random.Random(3), Notes()
    with tempfile.TemporaryDirectory(prefix="ma-crash-") as folder:
        spec = index_spec(Path(folder))
        root = spec.collections[0].root
        write_workspace(root, FILES, CHARS, notes)
        update(spec)
        embed_all(spec, 0)
        files = sorted((root / "memory").rglob("*.md"))
        met = 0
        for _ in range(kills):
            for path in choose.sample(files, CHANGED):
                path.write_text(notes.file(CHARS))
            update(spec)
            met += kill_during(embed_all, spec, 0, choose.uniform(0.02, 0.6))
            check(spec)
        embed_all(spec, 0)
        print(f"embedding: {kills} kills, {met} of them at work; " + _account(spec))
        met = 0
        for number in range(kills):
            met += kill_during(switch, spec, 1 + number // 4, choose.uniform(0.02, 1.2))
            check(spec)
        switch(spec, 1 + kills)
        check(spec)
        print(f"switching: {kills} kills, {met} of them at work; " + _account(spec))
        print(f"left beside the index: {', '.join(sorted(leftovers(spec))) or 'nothing'}")


def _account(spec: IndexSpec) -> str:
    status = index_status(spec, None)
    _expect(status.files == FILES and status.pending == 0 and status.embedded == status.chunks, f"lost: {status}")
    return f"{status.files} files, {status.chunks} chunks, {status.embedded} vectors: nothing lost"


if __name__ == "__main__":
    main()
