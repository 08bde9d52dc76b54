"""The engine in process: index throughput, no-op and one-file updates, search by stage, at three sizes.

    python -m bench.engine [--chunks 640 10000 100000] [--keep DIR]

Text and vectors are synthetic (bench/synthetic.py), so nothing here measures a model. CPU is this process's own
processor time; wall time depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bench.synthetic import DIMS, Notes, SyntheticEmbedder, index_spec, write_workspace
from search.evaluation.machine import describe_machine
from search.index.embed import embed_pending
from search.index.report import Progress
from search.index.update import update_index
from search.pipeline import search
from search.spec import IndexSpec, SearchRequest

CHUNKS_PER_FILE = 10
CHARS_PER_CHUNK = 1_280  # 1,600 less the overlap


def quiet(_: Progress) -> None:
    """Nobody is watching."""


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """(wall, CPU) in milliseconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def spread(values: list[float]) -> str:
    return f"p50 {median(values):8.2f}  p95 {np.percentile(values, 95):8.2f}"


def update(spec: IndexSpec) -> object:
    return update_index(spec, identity=None, progress=quiet, cancelled=lambda: False)


def measure(chunks: int, base: Path) -> None:
    files = max(1, chunks // CHUNKS_PER_FILE)
    spec = index_spec(base)
    questions = write_workspace(spec.collections[0].root, files, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes())
    # Files written within the last two seconds are read once more by the next update; wait that out first.
    time.sleep(2.1)
    embedder = SyntheticEmbedder()
    wall, cpu = timed(lambda: update(spec))
    made = update(spec)
    total = int(getattr(made, "pending", 0))
    print(f"\n{total:,} chunks in {files:,} files")
    print(
        f"  index, no vectors   {total / cpu * 1000:10,.0f} chunks/s CPU   {total / wall * 1000:10,.0f} chunks/s wall"
    )
    wall, cpu = timed(
        lambda: embed_pending(spec, embedder, budget_seconds=3_600, progress=quiet, cancelled=lambda: False)
    )
    print(
        f"  store vectors       {total / cpu * 1000:10,.0f} chunks/s CPU   (synthetic vectors, their making included)"
    )
    no_op = [timed(lambda: update(spec)) for _ in range(5)]
    idle_cpu, idle_wall = median(c for _, c in no_op), median(w for w, _ in no_op)
    print(f"  no-op update        {idle_cpu:10.1f} ms CPU         {idle_wall:10.1f} ms wall")
    target = next(spec.collections[0].root.rglob("note-*.md"))
    changed = []
    for round_ in range(5):
        target.write_text(target.read_text() + f"appended line {round_}\n")
        before = time.process_time()
        update(spec)
        changed.append((time.process_time() - before) * 1000 - idle_cpu)
    print(f"  one changed file    {median(changed):10.1f} ms CPU beyond the no-op")
    embed_pending(spec, embedder, budget_seconds=60, progress=quiet, cancelled=lambda: False)
    searches(spec, embedder, questions)
    print(f"  index file          {spec.path.stat().st_size / 1e6:10.1f} MB")


def searches(spec: IndexSpec, embedder: SyntheticEmbedder, questions: list[str]) -> None:
    cold, _ = timed(lambda: search(spec, SearchRequest(questions[0]), embedder))
    vectors = {question: embedder.embed_query(question, timeout=1) for question in questions}
    embedder.embed_query = lambda text, *, timeout: vectors[text]  # type: ignore[method-assign]
    for question in questions[:20]:
        search(spec, SearchRequest(question), embedder)
    wall, cpu, stages = [], [], {}
    for _ in range(max(1, 200 // len(questions))):
        for question in questions:
            started = time.process_time()
            begun = time.perf_counter()
            outcome = search(spec, SearchRequest(question), embedder)
            wall.append((time.perf_counter() - begun) * 1000)
            cpu.append((time.process_time() - started) * 1000)
            for stage, took in outcome.timings_ms.items():
                stages.setdefault(stage, []).append(took)
    print(f"  hybrid search       CPU {spread(cpu)} ms   wall {spread(wall)} ms   first {cold:.0f} ms   n={len(cpu)}")
    print("    by stage, wall p50: " + "  ".join(f"{stage} {median(took):.2f}" for stage, took in stages.items()))


def calibrate() -> None:
    """One BLAS dot over 10,000 x 384 float32: the machine's own yardstick."""
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((10_000, DIMS), dtype=np.float32)
    query = rng.standard_normal(DIMS, dtype=np.float32)
    took = [timed(lambda: matrix @ query)[1] for _ in range(50)]
    print(f"yardstick: numpy 10,000 x {DIMS} dot {median(took):.2f} ms CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[640, 10_000, 100_000])
    parser.add_argument("--keep", type=Path, help="keep the workspaces and indexes in this folder")
    options = parser.parse_args()
    print(describe_machine())
    calibrate()
    for chunks in options.chunks:
        if options.keep:
            measure(chunks, options.keep / str(chunks))
            continue
        with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
            measure(chunks, Path(folder))


if __name__ == "__main__":
    main()
