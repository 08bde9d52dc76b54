"""Late interaction: the best candidates judged by the query's single tokens (MaxSim, Khattab and Zaharia 2020).

For each token of the query the nearest token of the chunk counts, weighted by how rare its word is in this index. Of
chunks only sign bits are kept (runtime/tokens), so that one takes a few kilobytes. Measured in docs/ranking.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from search.documents.terms import RUN, fold, stem, words_in
from search.index.driver import Connection
from search.index.tokens import tokens_by_chunk
from search.runtime.presets import PRESETS
from search.runtime.protocols import QueryTokens, Vectors
from search.runtime.tokens import token_vectors

JUDGED = 50
"""Best candidates of the fusion that are judged."""
MOST = 1.2
"""A chunk that answers beyond doubt may pass 1."""
QUERY_TOKENS = 32
"""Of a query, the weightiest: a pasted page must not cost more than a question."""
PLANES = 3
"""Bits that each number of the query's vectors is rounded to; each costs a third of the counting."""
UNLISTED = 0.1
"""Weight of stop words, and of what the keyword query leaves out, as a share of the weightiest word's."""
BEGINS = "▁"
"""How the vocabulary marks the token that begins a word (SentencePiece)."""


def late_scores(
    connection: Connection, model: str, tokens: QueryTokens, weights: Mapping[str, float], chunk_ids: Sequence[int]
) -> dict[int, float]:
    """MaxSim on the calibrated scale, 0 and more, of those of these chunks whose tokens are known.

    `weights`: inverse document frequency of the query's index terms (retrieve/keyword.py).
    """
    constants, band = token_vectors(model), PRESETS[model].late if model in PRESETS else None
    if constants is None or band is None or tokens.vectors.shape[1] != constants.width:
        return {}
    shares = token_shares(tokens.pieces, weights)
    chosen = np.argsort(-shares, kind="stable")[:QUERY_TOKENS]
    chosen = chosen[shares[chosen] > 0]
    held = tokens_by_chunk(connection, constants.version, chunk_ids)
    if not held or not len(chosen):
        return {}
    width = constants.width // 8
    starts = np.cumsum([0, *(len(bits) // width for bits in held.values())])[:-1]
    rows = np.frombuffer(b"".join(held.values()), np.uint64).reshape(-1, width // 8)
    nearest = np.maximum.reduceat(cosines(tokens.vectors[chosen], rows), starts, axis=1)
    maxsim = shares[chosen] / shares[chosen].sum() @ nearest
    scores = ((maxsim - band.floor) / (band.ceiling - band.floor)).clip(0.0, MOST)
    return dict(zip(held, scores.tolist(), strict=True))


def cosines(query: Vectors, rows: NDArray[np.uint64]) -> Vectors:
    """(n, width) unit vectors and (m, width / 64) words of sign bits → (n, m), the signs taken as a unit vector.

    The query is rounded to `PLANES` bits a number, whose planes are counted against the rows (as in RaBitQ, Gao and
    Long 2024): all of it is popcount.
    """
    width = query.shape[1]
    most = 2**PLANES - 1
    step = np.abs(query).max(axis=1, keepdims=True) * 2 / most
    rounded = np.rint(query / step + most / 2).clip(0, most).astype(np.uint8)
    words = np.ascontiguousarray(rows.T)
    common = np.empty((len(query), len(rows)), np.uint64)
    count = np.empty(common.shape, np.uint8)
    hits = np.zeros(common.shape, np.int16)
    for plane in reversed(range(PLANES)):
        hits <<= 1
        for word, mask in zip(words, np.packbits(rounded >> plane & 1, axis=1).view(np.uint64).T, strict=True):
            np.bitwise_and(word, mask[:, np.newaxis], out=common)
            hits += np.bitwise_count(common, out=count)
    # A sign is 2 · bit - 1: twice the sum over the bits that are set, without the sum over all.
    ones = np.bitwise_count(rows).sum(axis=1, dtype=np.int16)
    whole = (rounded - np.float32(most / 2)).sum(axis=1, keepdims=True)
    found: Vectors = (2 * (hits - np.float32(most / 2) * ones) - whole) * (step / np.sqrt(width)).astype(np.float32)
    return found


def token_shares(pieces: Sequence[str], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """How much each token of a query counts: its word's weight, shared among the tokens of a word by their root."""
    shares = np.zeros(len(pieces))
    begins = [0, *(at for at, piece in enumerate(pieces) if at and piece.startswith(BEGINS)), len(pieces)]
    for first, last in pairwise(begins):
        if first < last:
            shares[first:last] = _shares_of_word([piece.replace(BEGINS, "") for piece in pieces[first:last]], weights)
    says = np.array([any(map(str.isalnum, piece)) for piece in pieces], bool)
    shares[says & (shares == 0.0)] = UNLISTED * float(shares.max(initial=0.0)) or 1.0
    return shares


def _shares_of_word(parts: Sequence[str], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Of the tokens between two spaces; in scripts without spaces those are many words."""
    texts = [fold(part) for part in parts]
    ends = np.cumsum([len(text) for text in texts])
    starts = ends - [len(text) for text in texts]
    whole = "".join(texts)
    shares = np.zeros(len(parts))
    for word in words_in(whole):
        inside = (starts < word.end()) & (ends > word.start())
        if not RUN.match(word[0]):
            share = weights.get(stem(word[0]), 0.0) / np.sqrt(inside.sum())
            shares[inside] = np.maximum(shares[inside], share)
            continue
        for at in np.flatnonzero(inside):
            low, high = max(int(starts[at]), word.start()), min(int(ends[at]), word.end())
            pairs = [weights[pair] for k in range(low, high - 1) if (pair := whole[k : k + 2]) in weights]
            if not pairs:
                # A character alone weighs half of the commoner word that it may belong to.
                around = (whole[max(word.start(), low - 1) : low + 1], whole[high - 1 : min(word.end(), high + 1)])
                pairs = [0.5 * min(known)] if (known := [weights[p] for p in around if p in weights]) else [0.0]
            shares[at] = max(shares[at], sum(pairs) / len(pairs))
    return shares
