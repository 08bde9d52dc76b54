"""The files of an index as folders, and those that lie idle."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from search.index.old_files import indexed_paths, old_files
from search.index.tree import find_names, list_folder
from tests.engine import Workspace


@pytest.fixture
def notes(tmp_path: Path) -> Workspace:
    house = tmp_path / "house"
    house.mkdir()
    (house / "boiler.md").write_text("The boiler.\n")
    workspace = Workspace(tmp_path, house=house)
    for path in ("MEMORY.md", "memory/b.md", "memory/a.md", "memory/2026-01-02.md", "memory/2026-01-03.md"):
        workspace.write(path, f"{path}\n")
    workspace.write("memory/0/deep/x.md", "one\n\ntwo\n")
    workspace.write("memory0/y.md", "not of the memory\n")
    workspace.update()
    return workspace


def test_the_top_holds_root_files_and_one_folder_per_collection(notes: Workspace) -> None:
    top = list_folder(notes.spec)
    assert [(one.path, one.files) for one in top.folders] == [("house", 1), ("memory", 5)]
    assert [file.path for file in top.files] == ["MEMORY.md"] and top.total == 1


def test_a_folder_holds_its_own_and_not_what_begins_like_it(notes: Workspace) -> None:
    memory = list_folder(notes.spec, "memory")
    assert [one.name for one in memory.folders] == ["0"]
    assert [file.path.rpartition("/")[2] for file in memory.files] == [
        "a.md", "b.md", "2026-01-03.md", "2026-01-02.md",
    ]  # fmt: skip
    assert list_folder(notes.spec, "memory/0/deep").files[0].chunks == 1
    assert list_folder(notes.spec, "mem").total == 0


def test_a_long_folder_is_read_in_parts(notes: Workspace) -> None:
    part = list_folder(notes.spec, "memory", limit=2, offset=1)
    assert [file.path for file in part.files] == ["memory/b.md", "memory/2026-01-03.md"] and part.total == 4


def test_a_file_that_cannot_be_indexed_is_in_the_tree_with_its_problem(notes: Workspace) -> None:
    (notes.root / "memory/big.md").write_bytes(b"x" * (17 * 1024 * 1024))
    notes.update()
    big = next(file for file in list_folder(notes.spec, "memory").files if file.path == "memory/big.md")
    assert big.problem and big.chunks == 0 and find_names(notes.spec, "BIG")[0].path == "memory/big.md"


@pytest.mark.parametrize("words", ["'; DROP TABLE files; --", '"', "%", "\\", "nowhere a"])
def test_names_are_looked_for_as_they_are(notes: Workspace, words: str) -> None:
    assert find_names(notes.spec, words) == ()


def test_without_an_index_there_is_nothing_and_no_error(tmp_path: Path) -> None:
    spec = Workspace(tmp_path).spec
    assert not list_folder(spec).exists and find_names(spec, "a") == () and indexed_paths(spec, ["a"]) == frozenset()
    assert old_files(spec, before=date(2026, 1, 1), without=[], limit=5) == ((), 0)


def test_old_files_are_dated_by_their_name_or_their_last_change(notes: Workspace) -> None:
    found, total = old_files(notes.spec, before=date(2026, 1, 3), without=["MEMORY.md"], limit=5)
    assert [(file.path, file.day) for file in found] == [("memory/2026-01-02.md", "2026-01-02")] and total == 1
    assert old_files(notes.spec, before=date(2126, 1, 1), without=["MEMORY.md"], limit=2)[1] == 6
