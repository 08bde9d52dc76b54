"""Ways to find the chunks whose vectors are nearest, side by side: CPU, first search, bytes in file and memory, recall.

    python -m bench.vectors [--vectors 500 2000 10000 100000]

384 dimensions, synthetic clusters, the 200 nearest of each of 40 queries. What the server does is marked with *: every
row in SQL up to `BITS_FROM`, bits and SQL above. The decision that came of it: docs/decisions/vectors.md.
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

from bench.synthetic import DIMS, SyntheticEmbedder
from search.evaluation.machine import describe_machine
from search.index.driver import Connection, bind_ids, open_reader, open_writer, transaction
from search.index.vectors import pack_vector, packed_cosines, sign_bits
from search.retrieve.vector import COMPARED

LIMIT = 200
Find = Callable[[np.ndarray], list[int]]

TABLES = {
    "vec0, float32": f"USING vec0(id INTEGER PRIMARY KEY, v float[{DIMS}] distance_metric=cosine, chunk_size=64)",
    "vec0, int8": f"USING vec0(id INTEGER PRIMARY KEY, v int8[{DIMS}] distance_metric=cosine, chunk_size=64)",
    "rows, float32": "",
    "rows, int8": "",
}


def names() -> dict[str, str]:
    return {way: f"t{number}" for number, way in enumerate(TABLES)}


def fill(path: Path, vectors: np.ndarray) -> dict[str, float]:
    """All tables with the same vectors; bytes of the file per vector, by table."""
    connection = open_writer(path)
    packed = [pack_vector(vector) for vector in vectors]
    with transaction(connection):
        for way, table in names().items():
            kind, columns = ("VIRTUAL TABLE", TABLES[way]) if TABLES[way] else ("TABLE", "(id INTEGER PRIMARY KEY, v)")
            connection.execute(f"CREATE {kind} {table} {columns}")
            value = "vec_int8(?)" if way == "vec0, int8" else "?"
            blobs = packed if way.endswith("int8") else [vector.tobytes() for vector in vectors]
            connection.executemany(f"INSERT INTO {table}(id, v) VALUES(?, {value})", enumerate(blobs))
    sizes = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return {
        way: sum(size for name, size in sizes.items() if name == table or name.startswith(f"{table}_")) / len(vectors)
        for way, table in names().items()
    }


def ways(connection: Connection, vectors: np.ndarray) -> dict[str, tuple[Find, float]]:
    """Each way to search with the bytes per vector that it holds in memory."""
    table = names()
    mean = vectors[:20_000].mean(axis=0)
    bits = np.ascontiguousarray(sign_bits(vectors, mean).view(np.uint64).T)
    count = min(len(vectors), COMPARED)

    def matrix(query: np.ndarray) -> list[int]:
        return np.argpartition(-(vectors @ query), min(LIMIT, len(vectors) - 1))[:LIMIT].tolist()

    def ids(sql: str, *values: object) -> list[int]:
        return [row[0] for row in connection.execute(sql, values)]

    def some(query: np.ndarray, near: np.ndarray) -> list[int]:
        return ids(
            f"SELECT id FROM {table['rows, int8']} WHERE id IN carray(?)"
            " ORDER BY vec_distance_cosine(vec_int8(v), vec_int8(?)) LIMIT ?",
            bind_ids(near), pack_vector(query), LIMIT,
        )  # fmt: skip

    def by_bits(query: np.ndarray) -> list[int]:
        distance = np.zeros(bits.shape[1], np.uint16)
        for row, word in zip(bits, sign_bits(query, mean).view(np.uint64), strict=True):
            distance += np.bitwise_count(row ^ word)
        return some(query, np.argpartition(distance, count - 1)[:count])

    def rows_by_numpy(query: np.ndarray) -> list[int]:
        rows = dict(connection.execute(f"SELECT id, v FROM {table['rows, int8']}"))
        found = np.argsort(-packed_cosines(rows.values(), pack_vector(query)), kind="stable")[:LIMIT]
        return np.fromiter(rows, np.int64, len(rows))[found].tolist()

    def knn(way: str, value: str, pack: Callable[[np.ndarray], bytes]) -> Find:
        sql = f"SELECT id FROM {table[way]} WHERE v MATCH {value} AND k = ?"
        return lambda query: ids(sql, pack(query), LIMIT)

    def every_row(way: str, stored: str, value: str, pack: Callable[[np.ndarray], bytes]) -> Find:
        sql = f"SELECT id FROM {table[way]} ORDER BY vec_distance_cosine({stored}, {value}), id LIMIT ?"
        return lambda query: ids(sql, pack(query), LIMIT)

    plain = np.ndarray.tobytes
    return {
        "float32 matrix in memory, numpy": (matrix, 4.0 * DIMS),
        "vec0, float32": (knn("vec0, float32", "?", plain), 0),
        "vec0, int8": (knn("vec0, int8", "vec_int8(?)", pack_vector), 0),
        "rows, float32": (every_row("rows, float32", "v", "?", plain), 0),
        "rows, int8": (every_row("rows, int8", "vec_int8(v)", "vec_int8(?)", pack_vector), 0),
        "rows, int8, numpy": (rows_by_numpy, 0),
        "bits in memory, rows, int8": (by_bits, DIMS / 8 + 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, nargs="+", default=[500, 1_000, 2_000, 4_000, 10_000, 20_000, 100_000])
    options = parser.parse_args()
    print(describe_machine())
    embedder = SyntheticEmbedder()
    queries = embedder.embed_documents([f"query {n}" for n in range(40)], timeout=1)
    for count in options.vectors:
        vectors = np.ascontiguousarray(embedder.embed_documents([f"note {n}" for n in range(count)], timeout=1))
        exact = [set(np.argsort(-(vectors @ query))[:LIMIT].tolist()) for query in queries]
        with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
            path = Path(folder) / "vectors.sqlite"
            sizes = fill(path, vectors)
            print(
                f"\n{count:,} vectors                       first   CPU p50   p95 ms   file B   memory B   recall@200"
            )
            for way, (find, held) in ways(open_reader(path), vectors).items():
                stored = way if way in sizes else "rows, int8" if "int8" in way else ""
                took, right = [], 0
                for query, wanted in zip(queries, exact, strict=True):
                    before = time.process_time()
                    found = find(query)
                    took.append((time.process_time() - before) * 1000)
                    right += len(wanted & set(found))
                recall = right / len(queries) / min(LIMIT, count)
                print(
                    f"  {way:32} {took[0]:7.2f}  {median(took[1:]):7.2f}  {np.percentile(took[1:], 95):7.2f}"
                    f"  {sizes.get(stored, 0):7.0f}  {held:9.0f}   {recall:.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
