"""The vector leg at one million chunks: bits in memory, the chosen rows compared in SQL.

    python -m bench.million [--chunks 1000000] [--dims 384]

Vectors are synthetic and clustered. The index file holds vectors only, no text, so that it is made in minutes; the
keyword leg's cost at scale is measured by bench.engine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from search.evaluation.machine import describe_machine
from search.index.driver import transaction
from search.index.facts import index_facts
from search.index.opening import open_index
from search.index.pool import reading
from search.index.schema import SEGMENT, next_generation, set_meta
from search.index.vectors import activate_model, bits_width, pack_passages, pack_vector, sign_bits
from search.retrieve.vector import nearest_passages, vector_leg
from search.spec import EmbeddingIdentity

BATCH = 16 * SEGMENT
QUERIES = 50


def clustered(rng: np.random.Generator, centres: np.ndarray, project: np.ndarray, rows: int) -> np.ndarray:
    latent = centres[rng.integers(0, len(centres), rows)] + 0.6 * rng.standard_normal((rows, 64), dtype=np.float32)
    vectors = latent @ project
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def build(path: Path, chunks: int, dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Fill an index with vectors; answers queries near some of them, and all vectors as float16 for the truth."""
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((500, 64)).astype(np.float32)
    project = rng.standard_normal((64, dims)).astype(np.float32)
    connection = open_index(path)
    kept = []
    with transaction(connection):
        activate_model(connection, EmbeddingIdentity("synthetic", f"clusters-{dims}", dims, "million"))
        connection.execute("INSERT INTO collections(id, name, source) VALUES(1, 'memory', 'memory')")
        connection.execute(
            "INSERT INTO files(id, collection, path, rel, source, mtime_ns, size, inode, hash, indexed_at)"
            " VALUES(1, 1, 'a.md', 'a.md', 'memory', 0, 0, 0, x'00', 0)"
        )
        set_meta(connection, "vec_mean", np.zeros(dims, "<f4").tobytes())
    for start in range(0, chunks, BATCH):
        vectors = clustered(rng, centres, project, min(BATCH, chunks - start))
        kept.append(vectors.astype(np.float16))
        _insert(connection, start, vectors)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    queries = np.vstack(kept)[rng.integers(0, chunks, QUERIES)].astype(np.float32)
    queries += 0.02 * rng.standard_normal(queries.shape, dtype=np.float32)
    return queries / np.linalg.norm(queries, axis=1, keepdims=True), np.vstack(kept)


def _insert(connection: object, start: int, vectors: np.ndarray) -> None:
    width = bits_width(vectors.shape[1])
    ids = range(start, start + len(vectors))
    with transaction(connection):  # type: ignore[arg-type]
        connection.executemany(  # type: ignore[attr-defined]
            "INSERT INTO embedding_cache(id, model, hash, parts, used) VALUES(?, 1, ?, ?, 0)",
            (
                (i + 1, i.to_bytes(8, "big"), pack_passages(vector[np.newaxis]))
                for i, vector in zip(ids, vectors, strict=True)
            ),
        )
        connection.executemany(  # type: ignore[attr-defined]
            "INSERT INTO chunks_vec(chunk_id, collection, embedding) VALUES(?, 1, ?)",
            ((i, pack_vector(vector)) for i, vector in zip(ids, vectors, strict=True)),
        )
        connection.executemany(  # type: ignore[attr-defined]
            "INSERT INTO chunks(id, file_id, ord, start_line, end_line, hash, emb_id, text)"
            " VALUES(?, 1, ?, 1, 1, ?, ?, '')",
            ((i, i, i.to_bytes(8, "big"), i + 1) for i in ids),
        )
        generation = next_generation(connection)  # type: ignore[arg-type]
        bits = sign_bits(vectors, np.zeros(vectors.shape[1], np.float32))
        for offset in range(0, len(vectors), SEGMENT):
            block = bits[offset : offset + SEGMENT]
            members = np.zeros(SEGMENT, "<u2")
            members[: len(block)] = 1
            full = np.zeros((SEGMENT, width), np.uint8)
            full[: len(block)] = block
            connection.execute(  # type: ignore[attr-defined]
                "INSERT INTO vec_seg(seg, ver, coll, bits) VALUES(?, ?, ?, ?)",
                ((start + offset) // SEGMENT, generation, members.tobytes(), full.tobytes()),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--dims", type=int, default=384)
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
        path = Path(folder) / "million.sqlite"
        started = time.perf_counter()
        queries, truth = build(path, options.chunks, options.dims)
        print(
            f"built {options.chunks:,} chunks in {time.perf_counter() - started:.0f} s,"
            f" {path.stat().st_size / 1e9:.2f} GB"
        )
        with reading(path) as connection:
            facts = index_facts(connection)
            cold = time.perf_counter()
            vector_leg(connection, facts, queries[0], None, 200)
            print(f"first search, loading included {(time.perf_counter() - cold) * 1000:.0f} ms")
            cpu, wall, recall, passages = [], [], [], []
            for query in queries:
                begun, started_cpu = time.perf_counter(), time.process_time()
                hits = vector_leg(connection, facts, query, None, 200)
                cpu.append((time.process_time() - started_cpu) * 1000)
                wall.append((time.perf_counter() - begun) * 1000)
                begun = time.perf_counter()
                nearest_passages(connection, facts, query, [hit.chunk_id for hit in hits])
                passages.append((time.perf_counter() - begun) * 1000)
                exact = np.argpartition(-(truth @ query.astype(np.float16)).astype(np.float32), 20)[:20]
                recall.append(len({hit.chunk_id for hit in hits[:40]} & set(exact.tolist())) / 20)
        print(
            f"vector leg        CPU p50 {median(cpu):.1f}  p95 {np.percentile(cpu, 95):.1f} ms  "
            f" wall p50 {median(wall):.1f} ms"
        )
        print(f"nearest passages  wall p50 {median(passages):.1f} ms")
        print(f"recall@20 against exact float16, within the first 40: {np.mean(recall):.3f}")


if __name__ == "__main__":
    main()
