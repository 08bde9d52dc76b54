"""The watcher: which change on disk concerns which agents."""

from __future__ import annotations

from pathlib import Path
from typing import Never

import pytest
from watchfiles import Change

from agents.models import Agent
from workers.watched_folders import Folders, existing_folders
from workers.watcher import matters

WORKSPACE = Folders(flat={"/ws": frozenset({1})}, deep={"/ws/memory": frozenset({1}), "/notes": frozenset({1, 2})})


@pytest.mark.parametrize(
    ("path", "agents"),
    [
        ("/ws/MEMORY.md", {1}),
        ("/ws/memory/a/b.md", {1}),
        ("/ws/src/readme.md", set()),
        ("/ws2/MEMORY.md", set()),
        ("/notes/x.md", {1, 2}),
        ("/notes/node_modules/x.md", set()),
        ("/notes/.trash/x.md", set()),
        ("/notes2/x.md", set()),
    ],
)
def test_a_change_concerns_the_agents_whose_folder_it_is_in(path: str, agents: set[int]) -> None:
    assert WORKSPACE.agents_of(path) == agents


def test_a_workspace_below_a_hidden_folder_is_watched_all_the_same() -> None:
    folders = Folders(deep={"/home/u/.openclaw/ws/memory": frozenset({7})})
    assert folders.agents_of("/home/u/.openclaw/ws/memory/day.md") == {7}


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        (Change.modified, "/ws/a.md", True),
        (Change.deleted, "/ws/memory/folder", True),
        (Change.modified, "/ws/memory/folder", False),
        (Change.added, "/ws/photo.jpg", False),
        (Change.added, "/ws/.a.md.swp", False),
    ],
)
def test_only_markdown_and_folders_matter(change: Change, path: str, expected: bool) -> None:
    assert matters(change, path) is expected


def test_missing_and_linked_folders_are_left_out(al: Agent, data_dir: Path) -> None:
    Path(al.workspace, "memory").rmdir()
    Path(al.workspace, "memory").symlink_to(data_dir)
    assert set(existing_folders().deep) == set()


@pytest.mark.parametrize("agents", [10, 3000])
def test_a_change_is_found_without_looking_at_every_folder(agents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    class Counted(dict[str, frozenset[int]]):
        def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
            looked_up.append(key)
            return super().get(key, default)  # type: ignore[arg-type]

        def items(self) -> Never:  # type: ignore[override]
            raise AssertionError("all folders are looked at")

    folders = Folders(deep=Counted({f"/data/{number}/memory": frozenset({number}) for number in range(agents)}))
    assert folders.agents_of("/data/7/memory/2026/day.md") == {7}
    assert len(looked_up) < 10


def test_who_gained_a_folder_is_told_from_who_had_it() -> None:
    before = Folders(flat={"/a": frozenset({1})}, deep={"/n": frozenset({1})})
    after = Folders(flat={"/a": frozenset({1}), "/b": frozenset({2})}, deep={"/n": frozenset({1, 3})})
    assert after.gained(before) == {2, 3}
