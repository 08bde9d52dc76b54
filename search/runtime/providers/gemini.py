"""Google Gemini's embeddings: older models are told the purpose by a task type, newer ones by words in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search.runtime.providers.vendor import ModelFacts, Purpose

_TASKS: Mapping[Purpose, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


class Gemini:
    name = "gemini"
    base_url = "https://generativelanguage.googleapis.com/v1beta"
    default_model = "gemini-embedding-001"
    max_texts = 100
    needs_key = True

    def facts(self, model: str) -> ModelFacts:
        if _told_by_words(model):
            return ModelFacts(3072, 8192, "task: search result | query: {text}", "title: none | text: {text}")
        return ModelFacts(3072 if model == "gemini-embedding-001" else 0, 2048)

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def request(
        self, model: str, texts: Sequence[str], purpose: Purpose, dims: int | None
    ) -> tuple[str, Mapping[str, Any]]:
        common: dict[str, Any] = {"model": f"models/{model}"}
        if not _told_by_words(model):
            common["taskType"] = _TASKS[purpose]
        if dims is not None:
            common["outputDimensionality"] = dims
        requests = [{**common, "content": {"parts": [{"text": text}]}} for text in texts]
        return f"/models/{model}:batchEmbedContents", {"requests": requests}

    def vectors(self, answer: Any) -> Sequence[Sequence[float]]:
        return [row["values"] for row in answer["embeddings"]]


def _told_by_words(model: str) -> bool:
    return model.startswith("gemini-embedding-2")
