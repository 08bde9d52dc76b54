"""ModelChoice: who does a role, as one word that an owner can write: `openai:text-embedding-3-small`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from search.runtime.presets import Role
from search.runtime.providers.gemini import Gemini
from search.runtime.providers.mistral import Mistral
from search.runtime.providers.ollama import Ollama
from search.runtime.providers.openai import OpenAI
from search.runtime.providers.vendor import EmbeddingVendor
from search.runtime.providers.voyage import Voyage

LOCAL = "local"
NONE = "none"
LONGEST = 300

VENDORS: Mapping[str, EmbeddingVendor] = {
    vendor.name: vendor for vendor in (Ollama(), OpenAI(), Gemini(), Voyage(), Mistral())
}
"""The embedding services. A new one is a new file and a name here."""

BASE_URLS: Mapping[str, str] = {
    **{name: vendor.base_url for name, vendor in VENDORS.items()},
    "cohere": "https://api.cohere.com/v2",
    "jina": "https://api.jina.ai/v1",
    "compatible": "",
}
"""Where each provider is unless the owner says otherwise."""

CHAT_PATHS: Mapping[str, str] = {
    "ollama": "/v1/chat/completions",
    "openai": "/chat/completions",
    "gemini": "/openai/chat/completions",
    "mistral": "/chat/completions",
}

DEFAULT_MODELS: Mapping[Role, Mapping[str, str]] = {
    "embed": {LOCAL: "", **{name: vendor.default_model for name, vendor in VENDORS.items()}, NONE: ""},
    "rerank": {
        LOCAL: "",
        "cohere": "rerank-v3.5",
        "jina": "jina-reranker-v2-base-multilingual",
        "voyage": "rerank-2.5",
        "compatible": "",
        NONE: "",
    },
    "generate": {
        LOCAL: "",
        "ollama": "qwen3:1.7b",
        "openai": "gpt-4.1-mini",
        "gemini": "gemini-2.5-flash",
        "mistral": "mistral-small-latest",
        NONE: "",
    },
}
"""The providers of each role, with the model each uses when none is named; "" is the provider's own choice."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`model` is "" where the provider itself knows which one it runs."""

    provider: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider

    @property
    def is_remote(self) -> bool:
        return self.provider not in (LOCAL, NONE)


def parse_choice(role: Role, text: str) -> ModelChoice:
    """`provider` or `provider:model`. Raises ValueError, one line that names what may stand there."""
    provider, _, model = text.strip().partition(":")
    known = DEFAULT_MODELS[role]
    if provider not in known:
        raise ValueError(f"{provider[:40]!r} is no provider for {role}; choose one of {', '.join(known)}")
    if len(text) > LONGEST or not model.isprintable():
        raise ValueError(f"a model's name has at most {LONGEST} printable characters")
    if provider == NONE and model:
        raise ValueError("none takes no model")
    return ModelChoice(provider, model.strip() or known[provider])
