"""Who stands behind a chunk: the least trusted origin among its lines, as it was recorded outside the text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from search.documents.lines import decode, split_lines
from search.documents.parse import Chunk
from search.spec import CollectionSpec, Origin

TRUST: tuple[Origin, ...] = ("owner", "agent", "system", "untrusted")
"""Most trusted first."""

MIN_LETTERS = 3
"""A line with fewer letters and digits (`---`, `- ok`) says nothing about who wrote it."""

DIGEST_BYTES = 16


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """`untrusted` when there is none at all."""
    return max(origins, key=TRUST.index, default="untrusted")


def named_origin(name: str) -> Origin:
    """An origin by its stored name; a name that this version does not know is trusted least."""
    return next((origin for origin in TRUST if origin == name), "untrusted")


def line_digest(line: str) -> bytes | None:
    """What a line is recognised by wherever it stands; None for a line that is too short to be anyone's."""
    words = line.strip()
    if sum(map(str.isalnum, words)) < MIN_LETTERS:
        return None
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


def line_digests(text: str) -> set[bytes]:
    """Of every line that can be recognised."""
    return {digest for line in split_lines(text) if (digest := line_digest(line)) is not None}


def chunk_origins(collection: CollectionSpec, rel: str, data: bytes, chunks: Sequence[Chunk]) -> tuple[Origin, ...]:
    """One origin per chunk. A line without a record is the collection's; the appliance's own diary is `system`."""
    default: Origin = "system" if _is_diary(collection, rel) else collection.origin
    if collection.recorded is None or not chunks:
        return (default,) * len(chunks)
    digests = [line_digest(line) for line in split_lines(decode(data)[0])]
    known = collection.recorded({digest for digest in digests if digest is not None})
    if not known:
        return (default,) * len(chunks)
    by_line = [default if digest is None else known.get(digest, default) for digest in digests]
    return tuple(least_trusted(by_line[chunk.start_line - 1 : chunk.end_line]) for chunk in chunks)


def _is_diary(collection: CollectionSpec, rel: str) -> bool:
    """Only an agent's own memory has one, in its own or in another agent's index."""
    name = rel.lower()
    own_memory = not collection.prefix or bool(collection.curated)
    return own_memory and (name == "dreams.md" or name.startswith(("memory/dreaming/", "memory/.dreams/")))
