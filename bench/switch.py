"""From another embedding model to an index that answers with it: how long, and what searches notice meanwhile.

    python -m bench.switch [--real 300] [--synthetic 10000]

First real chunks and the real bundled model (from synthetic vectors to real ones), then synthetic ones for size, where
only the cost of reading, storing and swapping is measured. One thread searches all the time, with the old model's
vectors until the swap.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from bench.crash import Slowed
from bench.embedding import models_process
from bench.engine import CHARS_PER_CHUNK, CHUNKS_PER_FILE, quiet, spread
from bench.synthetic import Notes, SyntheticEmbedder, index_spec, write_workspace
from search.evaluation.machine import describe_machine
from search.index.embed import embed_pending
from search.index.rebuild import rebuild_index
from search.index.report import RebuildReport
from search.index.update import update_index
from search.pipeline import search
from search.runtime.protocols import Embedder, Vectors
from search.spec import EmbeddingIdentity, IndexSpec, SearchRequest

BOUT_SECONDS = 20.0
PAUSE_SECONDS = 0.05


class Unslowed(Slowed):
    """The second synthetic model, as fast as the first."""

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        return SyntheticEmbedder.embed_documents(self, [f"{self._number} {text}" for text in texts], timeout=timeout)


class Searcher:
    """Searches every 50 ms; answers the times, and what was not a whole answer."""

    def __init__(self, spec: IndexSpec, questions: list[str], wanted: Embedder, former: Embedder) -> None:
        self.spec, self.questions = spec, questions
        self.wanted, self.former = wanted, former
        self.times: list[float] = []
        self.wrong: set[str] = set()

    def ask(self) -> None:
        question = self.questions[len(self.times) % len(self.questions)]
        began = time.perf_counter()
        outcome = search(self.spec, SearchRequest(question, embed_timeout_ms=5_000), self.wanted, self._find_former)
        self.times.append((time.perf_counter() - began) * 1000)
        if outcome.mode != "hybrid" or outcome.outcome != "ok":
            self.wrong.add(f"{outcome.outcome}/{outcome.mode}/{[d.code for d in outcome.degraded]}")

    def _find_former(self, identity: EmbeddingIdentity) -> Embedder | None:
        return self.former if self.former.identity() == identity else None

    @contextmanager
    def running(self) -> Iterator[None]:
        stop = threading.Event()

        def keep_asking() -> None:
            while not stop.wait(PAUSE_SECONDS):
                self.ask()

        thread = threading.Thread(target=keep_asking)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def switch(spec: IndexSpec, embedder: Embedder) -> tuple[float, int, RebuildReport]:
    """(seconds, bouts, the last report)."""
    began, bouts = time.perf_counter(), 0
    while True:
        bouts += 1
        report = rebuild_index(spec, embedder, budget_seconds=BOUT_SECONDS, progress=quiet, cancelled=lambda: False)
        if report.swapped:
            return time.perf_counter() - began, bouts, report


def measure(name: str, chunks: int, first: Embedder, second: Embedder) -> None:
    with tempfile.TemporaryDirectory(prefix="ma-switch-") as folder:
        spec = index_spec(Path(folder))
        files = max(1, chunks // CHUNKS_PER_FILE)
        questions = write_workspace(spec.collections[0].root, files, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes())
        time.sleep(2.1)
        update_index(spec, identity=None, progress=quiet, cancelled=lambda: False)
        embed_pending(spec, first, budget_seconds=3_600, progress=quiet, cancelled=lambda: False)
        resting = Searcher(spec, questions, first, first)
        for _ in range(200):
            resting.ask()
        searcher = Searcher(spec, questions, second, first)
        with searcher.running():
            seconds, bouts, report = switch(spec, second)
        print(f"{name}: {report.chunks:,} chunks")
        print(f"  switched in        {seconds:8.1f} s   {bouts} bouts, {report.pending} left pending")
        print(f"  searches quiet     {spread(resting.times)} ms")
        print(f"  searches meanwhile {spread(searcher.times)} ms   n={len(searcher.times)}")
        print(f"  not whole          {searcher.wrong or 'none'}")
        seconds, _, report = switch(spec, first)
        print(f"  switched back in   {seconds:8.1f} s   {report.embedded} embedded")
        seconds, _, report = switch(spec, first)
        print(f"  same model again   {seconds:8.1f} s   {report.embedded} embedded", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", type=int, default=300)
    parser.add_argument("--synthetic", type=int, default=10_000)
    options = parser.parse_args()
    print(describe_machine())
    if options.synthetic:
        measure("synthetic vectors", options.synthetic, Unslowed(1), Unslowed(2))
    if options.real:
        with models_process(1) as client:
            measure("real vectors", options.real, SyntheticEmbedder(), client)


if __name__ == "__main__":
    main()
