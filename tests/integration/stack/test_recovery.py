"""Whatever dies, work resumes by itself: nothing done twice, nothing lost, searches answered meanwhile."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.stack.server import Server, until

FILES = 300


@pytest.fixture
def large(server: Server) -> Iterator[str]:
    """An agent whose first update takes some seconds; deleted afterwards, so that nothing embeds it."""
    workspace = server.agent("large")
    words = [f"word{number}" for number in range(4000)]
    choose = random.Random(7)
    for number in range(FILES):
        lines = [" ".join(choose.choices(words, k=40)) for _ in range(400)]
        Path(workspace, "memory", f"{number}.md").write_text(f"# Note {number}\n\n" + "\n".join(lines))
    yield "large"
    server.call("DELETE", "/api/v1/agents/large")


def test_an_update_survives_the_death_of_its_worker(server: Server, large: str) -> None:
    run = server.update(large)
    until("the update works", lambda: server.run(run)["progress"]["done"] > 0, 30)
    server.kill("-A memory_appliance worker")
    assert server.search(large, "word17")["outcome"] in ("ok", "empty")
    assert server.done(run, 90)["progress"]["done"] > 0
    status = server.call("GET", f"/api/v1/agents/{large}/status")
    assert status["files"] == FILES


def test_without_a_broker_searches_answer_and_updates_wait_for_its_return(server: Server) -> None:
    workspace = server.agent("patient")
    Path(workspace, "MEMORY.md").write_text("- The bread recipe is on page 12.\n")
    server.done(server.update("patient"))
    Path(workspace, "MEMORY.md").write_text("- The bread recipe is on page 97.\n")
    server.kill("valkey-server")
    started = time.monotonic()
    run = server.update("patient")
    assert server.finds("patient", "bread recipe", "MEMORY.md")
    assert time.monotonic() - started < 5
    server.done(run, 90)
    assert "97" in server.search("patient", "bread recipe")["results"][0]["snippet"]


@pytest.mark.model
def test_without_its_model_a_search_goes_by_words_and_says_so(server: Server) -> None:
    workspace = server.agent("wordy")
    Path(workspace, "MEMORY.md").write_text("- The bicycle pump is in the cellar.\n")
    server.done(server.update("wordy"))
    until("by meaning", lambda: not server.search("wordy", "pump", "hybrid")["degraded"], 90)
    server.kill("workers.process")
    answer = server.search("wordy", "bicycle pump", "hybrid")
    assert answer["results"][0]["path"] == "MEMORY.md"
    assert "no_query_vector" in {reason["code"] for reason in answer["degraded"]}
    until("by meaning again", lambda: not server.search("wordy", "bicycle pump", "hybrid")["degraded"], 90)


def test_the_watcher_comes_back_and_misses_nothing(server: Server) -> None:
    workspace = server.agent("watched")
    server.done(server.update("watched"))
    server.kill("memory_appliance.launch.watch")
    Path(workspace, "MEMORY.md").write_text("- The attic key is on the hook.\n")
    until("found", lambda: server.finds("watched", "attic key", "MEMORY.md"), 40)
