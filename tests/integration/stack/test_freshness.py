"""From a file on disk to an answer: by words within seconds, by meaning soon after."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from search.index.locks import writer_lock
from tests.integration.stack.server import Server, until


@pytest.mark.model
def test_a_note_on_disk_is_found_by_words_and_then_by_meaning(server: Server) -> None:
    workspace = server.agent("fresh")
    (workspace / "memory" / "boiler.md").write_text("# Boiler\n\nThe heating is serviced every October by Mr Novak.\n")
    (workspace / "memory" / "cat.md").write_text("# Cat\n\nMimi eats salmon only.\n")
    until("found by words", lambda: server.finds("fresh", "heating serviced", "memory/boiler.md"), 20)
    until("found by meaning", lambda: server.finds("fresh", "谁来修暖气？", "memory/boiler.md", "vsearch"), 90)


def test_a_changed_and_a_deleted_note_follow(server: Server) -> None:
    workspace = server.agent("changing")
    note = workspace / "MEMORY.md"
    note.write_text("- The wifi word is pelican.\n")
    until("found", lambda: server.finds("changing", "pelican", "MEMORY.md"), 20)
    note.write_text("- The wifi word is flamingo.\n")
    until("the change is found", lambda: server.finds("changing", "flamingo", "MEMORY.md"), 20)
    assert not server.search("changing", "pelican")["results"]
    note.unlink()
    until("the deleted note is gone", lambda: not server.search("changing", "flamingo")["results"], 20)


def test_a_folder_added_as_a_collection_is_watched(server: Server) -> None:
    server.agent("collector")
    folder = server.data_dir / "workspaces" / "handbook"
    folder.mkdir()
    server.call("POST", "/api/v1/agents/collector/collections", {"name": "handbook", "path": str(folder)})
    time.sleep(4)
    (folder / "rules.md").write_text("Shoes off in the hallway.\n")
    until("found", lambda: server.finds("collector", "shoes hallway", "handbook/rules.md"), 20)


def test_a_second_request_joins_the_run_that_waits(server: Server) -> None:
    server.agent("joined")
    index = server.data_dir / "indexes" / "joined.sqlite"
    server.done(server.update("joined"))
    with writer_lock(index, timeout=10):
        first, second = server.update("joined"), server.update("joined")
        assert first == second
        time.sleep(1)
        assert server.run(first)["state"] in ("queued", "running")
    server.done(first)


def test_two_agents_share_nothing(server: Server) -> None:
    for slug, secret in (("iso", "alpha"), ("iso-2", "omega")):
        (server.agent(slug) / "MEMORY.md").write_text(f"- The safe word is {secret}.\n")
        server.done(server.update(slug))
    for slug, own, other in (("iso", "alpha", "omega"), ("iso-2", "omega", "alpha")):
        found = server.search(slug, f"safe word {own} {other}")["results"]
        assert [own in hit["snippet"] and other not in hit["snippet"] for hit in found] == [True]


def test_a_rebuild_leaves_the_same_index(server: Server) -> None:
    workspace = server.agent("rebuilt")
    Path(workspace, "MEMORY.md").write_text("- The ladder stands behind the shed.\n")
    server.done(server.update("rebuilt"))
    server.done(server.call("POST", "/api/v1/agents/rebuilt/rebuild")["run"]["id"])
    assert server.finds("rebuilt", "ladder", "MEMORY.md")
    assert server.call("GET", "/api/v1/agents/rebuilt/status")["files"] == 1
