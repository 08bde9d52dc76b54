"""OpenAI's embeddings, and every server that speaks the same (`/embeddings`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search.runtime.providers.prompts import facts_of_open_model
from search.runtime.providers.vendor import ModelFacts, Purpose, bearer, data_vectors

_MODELS = {
    "text-embedding-3-small": ModelFacts(1536),
    "text-embedding-3-large": ModelFacts(3072),
    "text-embedding-ada-002": ModelFacts(1536, 8191),
}


class OpenAI:
    name = "openai"
    base_url = "https://api.openai.com/v1"
    default_model = "text-embedding-3-small"
    max_texts = 2048
    needs_key = True

    def facts(self, model: str) -> ModelFacts:
        return _MODELS.get(model) or facts_of_open_model(model)

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        return "/embeddings", body if dims is None else {**body, "dimensions": dims}

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]:
        return data_vectors(answer)
