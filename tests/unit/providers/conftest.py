"""One loopback vendor per test, and embedders that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from search.runtime.providers.address import Address
from search.runtime.providers.embedder import RemoteEmbedder
from search.runtime.providers.gemini import Gemini
from search.runtime.providers.mistral import Mistral
from search.runtime.providers.ollama import Ollama
from search.runtime.providers.openai import OpenAI
from search.runtime.providers.vendor import EmbeddingVendor
from search.runtime.providers.voyage import Voyage
from tests.unit.providers.vendors import Answer, VendorServer, serving

VENDORS: dict[str, EmbeddingVendor] = {v.name: v for v in (OpenAI(), Gemini(), Voyage(), Mistral(), Ollama())}
KEY = "sk-secret-0123456789abcdef"

Serve = Callable[[Answer], VendorServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(serving(answer))


def embedder_at(server: VendorServer, vendor: str, *, model: str = "m", dims: int | None = None) -> RemoteEmbedder:
    return RemoteEmbedder(VENDORS[vendor], model, Address(vendor, server.url, KEY), dims=dims)
