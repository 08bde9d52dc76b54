"""Mistral's embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search.runtime.providers.vendor import ModelFacts, Purpose, bearer, data_vectors

_MODELS = {"mistral-embed": ModelFacts(1024), "codestral-embed": ModelFacts(1536)}


class Mistral:
    name = "mistral"
    base_url = "https://api.mistral.ai/v1"
    default_model = "mistral-embed"
    max_texts = 512
    needs_key = True

    def facts(self, model: str) -> ModelFacts:
        return _MODELS.get(model, ModelFacts())

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        body: dict[str, Any] = {"model": model, "input": list(texts)}
        return "/embeddings", body if dims is None else {**body, "output_dimension": dims}

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]:
        return data_vectors(answer)
