"""read_lines(): the lines of an index that say something, each once, with the vector of the passage it stands in."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from search.documents.passages import split_passages
from search.index.driver import Connection
from search.index.vectors import active_model
from search.spec import IndexSpec

LONGEST = 400
"""Characters; a longer line is a story and not a fact."""
MOST_ALIKE = 3
"""A line that stands in more places than this is a form that somebody fills in every day."""

_FENCE = re.compile(r"\A\s*(?:```|~~~)")
_NOTHING_SAID = re.compile(r"\A\s*+(?:#|\||<!--.*-->\s*$|[-=_*\s]*$|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)")
"""Headings, tables, lone comments, rules, and the lines of a log."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Line:
    """`day` is that of the file's name, "" without one. `passage` is its row among the vectors, -1 without one."""

    path: str
    number: int
    day: str
    text: str
    passage: int


@dataclass(frozen=True, slots=True)
class Lines:
    """`vectors` are of unit length around their own mean; (0, 0) when there are none. `left_out`: files not read."""

    lines: tuple[Line, ...]
    vectors: Vectors
    files: int
    left_out: int


def read_lines(connection: Connection, spec: IndexSpec, *, most_lines: int) -> Lines:
    """Of the agent's notes, not its conversations: the curated files first, then the newest, until there are enough."""
    names = json.dumps([collection.name for collection in spec.collections if collection.source == "memory"])
    files = list(
        connection.execute(
            "SELECT f.id, f.path, coalesce(f.day, '') FROM files f JOIN collections c ON c.id = f.collection"
            " WHERE c.name IN (SELECT value FROM json_each(?))"
            " ORDER BY instr(f.path, '/') > 0, f.day IS NOT NULL, f.day DESC, f.mtime_ns DESC",
            (names,),
        )
    )
    model = active_model(connection)
    found: list[Line] = []
    rows: list[Vectors] = []
    read = 0
    for file_id, path, day in files:
        if len(found) >= most_lines:
            break
        read += 1
        found += _of_file(connection, file_id, path, day, rows, model.identity.dims if model else 0)
    counts = Counter(line.text for line in found)
    kept = tuple(line for line in found if counts[line.text] <= MOST_ALIKE)
    return Lines(kept, _centred(rows), read, len(files) - read)


def _of_file(connection: Connection, file_id: int, path: str, day: str, rows: list[Vectors], dims: int) -> list[Line]:
    """Its lines; `rows` gets the vectors of the passages that hold them. The overlap of two chunks is read once."""
    found: dict[int, Line] = {}
    chunks = connection.execute(
        "SELECT c.start_line, c.text, e.parts FROM chunks c LEFT JOIN embedding_cache e ON e.id = c.emb_id"
        " WHERE c.file_id = ? ORDER BY c.ord",
        (file_id,),
    )
    for start, text, parts in chunks:
        passages = split_passages(text) if parts is not None and dims else []
        vectors = _unpacked(parts, dims) if passages else None
        if vectors is None or len(vectors) != len(passages):
            passages = []
        place, fenced = 0, False
        taken: dict[int, int] = {}
        for number, line in enumerate(text.split("\n"), start=start):
            fenced ^= bool(_FENCE.match(line))
            if number in found or fenced or len(line) > LONGEST or _NOTHING_SAID.match(line):
                continue
            place = next((at for at in range(place, len(passages)) if line.strip()[:80] in passages[at]), place)
            if vectors is not None and place < len(passages) and place not in taken:
                taken[place] = len(rows)
                rows.append(vectors[place])
            found[number] = Line(path, number, day, line.strip(), taken.get(place, -1))
    return list(found.values())


def _unpacked(parts: bytes, dims: int) -> Vectors:
    """`pack_passages` undone: (n, dims)."""
    table = np.frombuffer(parts, np.int8).reshape(-1, dims + 4)
    scales = np.ascontiguousarray(table[:, :4]).view("<f4")
    vectors: Vectors = table[:, 4:].astype(np.float32) * scales
    return vectors


def _centred(rows: list[Vectors]) -> Vectors:
    """Models put all texts of a language near to each other; around their mean what they are about is left."""
    if not rows:
        return np.zeros((0, 0), np.float32)
    vectors = np.stack(rows)
    vectors -= vectors.mean(axis=0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors
