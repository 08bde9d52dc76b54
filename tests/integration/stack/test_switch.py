"""Another embedding model, chosen while the server runs: it says so, answers all the time, and switches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.stack.server import Server, until
from tests.unit.providers.vendors import Asked, Said, VendorServer, in_shape, serving, texts_of


def word_vector(text: str) -> list[float]:
    """Counts words into 64 dimensions."""
    vector = [0.01] * 64
    for word in text.lower().split():
        vector[hashlib.blake2b(word.encode(), digest_size=1).digest()[0] % 64] += 1
    return vector


def answer(asked: Asked) -> Said:
    return Said(in_shape("ollama", [word_vector(text) for text in texts_of(asked)]))


@pytest.fixture
def ollama(server: Server) -> Iterator[VendorServer]:
    """A loopback Ollama that is the whole server's embedder until the test ends."""
    with serving(answer) as vendor:
        yield vendor
        server.call("PUT", "/api/v1/providers", {"embed": None})


def codes(server: Server, query: str) -> set[str]:
    return {reason["code"] for reason in server.search("switcher", query, "hybrid")["degraded"]}


@pytest.mark.model
def test_a_switch_is_noticed_done_and_undone_while_searches_answer(server: Server, ollama: VendorServer) -> None:
    workspace = server.agent("switcher")
    Path(workspace, "MEMORY.md").write_text("- The ladder stands behind the shed.\n- Mimi eats salmon only.\n")
    server.done(server.update("switcher"))
    until("embedded by the local model", lambda: not codes(server, "ladder shed"), 90)

    ollama.answer = lambda asked: replace(answer(asked), seconds=5)
    server.call(
        "PUT", "/api/v1/providers", {"embed": {"model": "ollama:words", "base_url": ollama.url, "dimensions": 64}}
    )
    until("stale", lambda: "stale_vectors" in codes(server, "ladder shed"), 30)
    outcome = server.search("switcher", "ladder shed", "hybrid")
    assert (outcome["results"][0]["path"], outcome["provider"]) == ("MEMORY.md", "local")

    ollama.answer = answer
    until("switched", lambda: server.search("switcher", "ladder shed", "hybrid")["provider"] == "ollama", 60)
    assert server.finds("switcher", "ladder shed", "MEMORY.md", "vsearch")
    assert not codes(server, "ladder shed")
    embedded = len(ollama.asked)

    server.call("PUT", "/api/v1/providers", {"embed": None})
    until("switched back", lambda: server.search("switcher", "ladder shed", "hybrid")["provider"] == "local", 60)
    assert not codes(server, "ladder shed")
    assert len(ollama.asked) - embedded <= 2, "queries only"
    until("the build is gone", lambda: _files(server) <= {"", "-wal", "-shm", ".lock"}, 20)


def _files(server: Server) -> set[str]:
    """What lies beside the agent's index, by the ends of the names."""
    return {path.name.removeprefix("switcher.sqlite") for path in (server.data_dir / "indexes").glob("switcher*")}
