"""Voyage AI's embeddings: the request says whether a text is a query or a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search.runtime.providers.vendor import ModelFacts, Purpose, bearer, data_vectors

_MODELS = {
    **dict.fromkeys(
        ("voyage-4-large", "voyage-4", "voyage-4-lite", "voyage-3-large", "voyage-3.5", "voyage-3.5-lite"),
        ModelFacts(1024),
    ),
    "voyage-3-lite": ModelFacts(512),
}


class Voyage:
    name = "voyage"
    base_url = "https://api.voyageai.com/v1"
    default_model = "voyage-4-large"
    max_texts = 1000
    needs_key = True

    def facts(self, model: str) -> ModelFacts:
        return _MODELS.get(model, ModelFacts())

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        # Without truncation a text that is too long is an error, and the error makes us split it.
        body: dict[str, Any] = {"model": model, "input": list(texts), "input_type": purpose, "truncation": False}
        return "/embeddings", body if dims is None else {**body, "output_dimension": dims}

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]:
        return data_vectors(answer)
