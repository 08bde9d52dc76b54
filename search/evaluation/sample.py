"""sample_queries(): questions that an index can answer, made of its own lines; for measuring times, not quality."""

from __future__ import annotations

import random

from search.documents.lines import split_lines
from search.index.pool import reading
from search.spec import IndexSpec

QUERY_WORDS = 6
CJK_CHARS = 12
"""A language without spaces has no words to count: its queries are this long at most."""


def sample_queries(spec: IndexSpec, count: int, *, seed: int = 7) -> tuple[str, ...]:
    """At most `count` different queries out of chunks picked evenly over the index; the same for the same index.

    Raises `IndexUnavailable`.
    """
    with reading(spec.path) as connection:
        ids = [int(row[0]) for row in connection.execute("SELECT id FROM chunks ORDER BY id")]
        picked = random.Random(seed).sample(ids, min(count, len(ids)))  # noqa: S311 - a sample, not a secret
        texts = [str(connection.execute("SELECT text FROM chunks WHERE id = ?", (number,)).get) for number in picked]
    return tuple(dict.fromkeys(query for text in texts if (query := _query(text))))


def _query(text: str) -> str:
    longest = max((line.strip(" #*->\t\r\n") for line in split_lines(text)), key=len, default="")
    words = longest.split()[:QUERY_WORDS]
    return " ".join(word[:CJK_CHARS] if not word.isascii() else word for word in words)[:120]
