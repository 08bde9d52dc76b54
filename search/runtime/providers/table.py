"""PROVIDERS: every service of models, one row each. A new one is a row here and, where it embeds, a file beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from search.runtime.presets import Role
from search.runtime.providers.chat import Chat, GeminiChat, OllamaChat, OpenAIChat
from search.runtime.providers.gemini import Gemini
from search.runtime.providers.mistral import Mistral
from search.runtime.providers.ollama import Ollama
from search.runtime.providers.openai import OpenAI
from search.runtime.providers.vendor import EmbeddingVendor
from search.runtime.providers.voyage import Voyage
from search.sentences import sentence


@dataclass(frozen=True, slots=True)
class Provider:
    """`models`: role → the model used when none is named, "" for the provider's own choice.

    `base_url` is where it is unless the owner says otherwise; `own_address`: the owner may, with the option
    `<name>_base_url`. The option `<name>_api_key` holds its key. `chat`: how it is asked to write.
    """

    name: str
    base_url: str
    models: Mapping[Role, str]
    embeds: EmbeddingVendor | None = None
    chat: Chat | None = None
    own_address: str = ""
    """What the option says of the address, in words; "" where there is no such option."""
    needs_key: bool = True
    key_note: str = field(default="")
    """What the option says of the key besides whose it is."""


def _embedding(
    vendor: EmbeddingVendor,
    more: Mapping[Role, str] = MappingProxyType({}),
    *,
    chat: Chat | None = None,
    own_address: str = "",
    key_note: str = "",
) -> Provider:
    models: dict[Role, str] = {"embed": vendor.default_model, **more}
    return Provider(
        vendor.name,
        vendor.base_url,
        models,
        embeds=vendor,
        chat=chat,
        own_address=own_address,
        needs_key=vendor.needs_key,
        key_note=key_note,
    )


PROVIDERS: tuple[Provider, ...] = (
    _embedding(
        Ollama(),
        {"generate": "qwen3:1.7b"},
        chat=OllamaChat(),
        own_address=sentence("Address of Ollama; else http://127.0.0.1:11434."),
        key_note=sentence("where a proxy asks for one"),
    ),
    _embedding(
        OpenAI(),
        {"generate": "gpt-4.1-mini"},
        chat=OpenAIChat(),
        own_address=sentence(
            "Address of a service that speaks like OpenAI; else OpenAI's own. Gets MEMORY_OPENAI_API_KEY."
        ),
    ),
    _embedding(Gemini(), {"generate": "gemini-2.5-flash"}, chat=GeminiChat()),
    _embedding(Voyage(), {"rerank": "rerank-2.5"}),
    _embedding(Mistral(), {"generate": "mistral-small-latest"}, chat=OpenAIChat(reasons=False)),
    Provider("cohere", "https://api.cohere.com/v2", {"rerank": "rerank-v3.5"}),
    Provider("jina", "https://api.jina.ai/v1", {"rerank": "jina-reranker-v2-base-multilingual"}),
    Provider(
        "compatible",
        "",
        {"rerank": ""},
        own_address=sentence("Address below which a `/rerank` service answers."),
        needs_key=False,
    ),
)

BY_NAME: Mapping[str, Provider] = {provider.name: provider for provider in PROVIDERS}

EMBEDDING: Mapping[str, EmbeddingVendor] = {row.name: row.embeds for row in PROVIDERS if row.embeds is not None}
"""Those that embed."""

WRITING: Mapping[str, Chat] = {row.name: row.chat for row in PROVIDERS if row.chat is not None}
"""Those that write."""
