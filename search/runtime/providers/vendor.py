"""EmbeddingVendor: what one vendor's file says of its embedding service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Purpose = Literal["query", "document"]
MAX_BATCH_TOKENS = 8_000
"""Estimated tokens of one request, unless a vendor allows fewer."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """`dims` 0: the first answer tells. Prompts are templates with one `{text}`."""

    dims: int = 0
    max_tokens: int = 8192
    query_prompt: str = "{text}"
    document_prompt: str = "{text}"

    def prompt(self, purpose: Purpose) -> str:
        return self.query_prompt if purpose == "query" else self.document_prompt


class EmbeddingVendor(Protocol):
    """`vectors` takes a parsed answer apart and raises KeyError, TypeError, IndexError or ValueError on nonsense."""

    name: str
    base_url: str
    default_model: str
    max_texts: int
    needs_key: bool

    def facts(self, model: str) -> ModelFacts: ...

    def headers(self, key: str) -> Mapping[str, str]: ...

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        """Path and body. `dims` is given only when the owner wants fewer dimensions than the model makes."""
        ...

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]: ...


def bearer(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def data_vectors(answer: Any) -> list[list[float]]:
    """`{"data": [{"index", "embedding"}]}`, the shape that OpenAI, Voyage and Mistral share, in the texts' order."""
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    if [row["index"] for row in rows] != list(range(len(rows))):
        raise ValueError("the indexes are not 0, 1, 2, …")
    return [row["embedding"] for row in rows]
