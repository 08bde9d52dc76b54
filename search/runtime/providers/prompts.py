"""facts_of_open_model(): prompts and sizes of well-known open models, whichever server runs them."""

from __future__ import annotations

from search.runtime.providers.vendor import ModelFacts

_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:{text}"
_OPEN_MODELS = (
    ("nomic-embed-text", ModelFacts(768, 2048, "search_query: {text}", "{text}")),
    ("mxbai-embed-large", ModelFacts(1024, 512, "Represent this sentence for searching relevant passages: {text}")),
    ("qwen3-embedding", ModelFacts(0, 32_768, _WEB_SEARCH)),
    ("embeddinggemma", ModelFacts(768, 2048, "task: search result | query: {text}", "title: none | text: {text}")),
    ("multilingual-e5", ModelFacts(0, 512, "query: {text}", "passage: {text}")),
    ("bge-m3", ModelFacts(1024, 8192)),
    ("all-minilm", ModelFacts(384, 256)),
)


def facts_of_open_model(model: str) -> ModelFacts:
    """By the name's beginning, without owner (`intfloat/`) and without tag (`:0.6b`); unknown ones get no prompt."""
    name = model.lower().rsplit("/", 1)[-1].split(":")[0]
    return next((facts for known, facts in _OPEN_MODELS if name.startswith(known)), ModelFacts(max_tokens=2048))
