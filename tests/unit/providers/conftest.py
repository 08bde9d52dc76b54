"""One loopback vendor per test, and embedders that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from search.runtime.providers.address import Address
from search.runtime.providers.embedder import RemoteEmbedder
from search.runtime.providers.table import EMBEDDING
from tests.unit.providers.vendors import Answer, VendorServer, serving

VENDORS = EMBEDDING
KEY = "sk-secret-0123456789abcdef"

Serve = Callable[[Answer], VendorServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(serving(answer))


def embedder_at(server: VendorServer, vendor: str, *, model: str = "m", dims: int | None = None) -> RemoteEmbedder:
    return RemoteEmbedder(VENDORS[vendor], model, Address(vendor, server.url, KEY), dims=dims)
