"""DEGRADATIONS: every part of a search that may be missing, by its code in answers. A new one is a row here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast, get_args

from search.sentences import sentence

DegradationCode = Literal[
    "no_query_vector",
    "vec_fallback",
    "no_vectors",
    "no_keyword",
    "no_rerank",
    "no_expansion",
    "stale_vectors",
    "pending_embeddings",
    "no_index",
    "index_behind",
    "deadline",
]

DEGRADATIONS: Mapping[DegradationCode, str] = {
    "no_query_vector": sentence("The embedding model didn't respond in time: this search used words only."),
    # Of the contract; nothing sends it, for numpy gives the same results.
    "vec_fallback": sentence("sqlite-vec isn't available: vectors are compared more slowly."),
    "no_vectors": sentence("There are no vectors yet: search uses words only."),
    "no_keyword": sentence("The keyword index is missing. The next update rebuilds it."),
    "no_rerank": sentence("No reranking model was used: results keep their order."),
    "no_expansion": sentence("No writing model was used: the query was not expanded."),
    "stale_vectors": sentence("The vectors come from another model than the chosen one: the index is being rebuilt."),
    "pending_embeddings": sentence("Some chunks have no vectors yet: they are found by words only."),
    "no_index": sentence("There is no index yet. The first update creates it."),
    "index_behind": sentence(
        "This server has not read yet what was written last through another one; ask again in a moment."
    ),
    "deadline": sentence("The time limit was reached: these are the results found so far."),
}
"""What each code means, for people."""


def meaning(code: str) -> str:
    """In words; the code itself where this version does not know it."""
    return DEGRADATIONS[cast(DegradationCode, code)] if code in get_args(DegradationCode) else code
