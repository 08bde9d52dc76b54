"""Ollama's embeddings (`/api/embed`) on a machine of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search.runtime.providers.prompts import facts_of_open_model
from search.runtime.providers.vendor import ModelFacts, Purpose, bearer


class Ollama:
    name = "ollama"
    base_url = "http://127.0.0.1:11434"
    default_model = "nomic-embed-text"
    max_texts = 64
    needs_key = False

    def facts(self, model: str) -> ModelFacts:
        return facts_of_open_model(model)

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        # By default Ollama cuts long texts silently; as an error we see them, and split them.
        body: dict[str, Any] = {"model": model, "input": list(texts), "truncate": False}
        return "/api/embed", body if dims is None else {**body, "dimensions": dims}

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = answer["embeddings"]
        return vectors
