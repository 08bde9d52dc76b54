"""What comes in lies beside its place, is compared, and is taken whole; nothing that lies there is overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.nodes.inventory import Entry, entries, left_out, open_entry
from agents.nodes.places import places
from agents.nodes.staging import PlaceTaken, Staging
from search.documents.contain import PathNotAllowed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    for rel, text in {"MEMORY.md": "one", "memory/ü \udcff.md": "two", "memory/.hidden/x": "", "locks/y": "z"}.items():
        path = folder / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, ns=(1_700_000_000_123_456_789,) * 2)
    (folder / "link.md").symlink_to("/etc/passwd")
    (folder / "memory" / "up").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def staging(data_dir: Path) -> Staging:
    return Staging(places("al", 7))


def blocks(source: Path, entry: Entry) -> Iterator[bytes]:
    yield (source / entry.rel).read_bytes()


def bring(staging: Staging, source: Path) -> list[Entry]:
    found = list(entries({"workspace": source}))
    for entry in found:
        staging.write(entry, blocks(source, entry))
    return found


def test_regular_files_are_taken_and_the_rest_is_named(source: Path) -> None:
    assert [entry.rel for entry in entries({"workspace": source})] == [
        "MEMORY.md", "locks/y", "memory/ü \udcff.md", "memory/.hidden/x"
    ]  # fmt: skip
    assert left_out({"workspace": source}) == ["workspace/link.md", "workspace/pipe", "workspace/memory/up"]
    assert "locks/y" not in {entry.rel for entry in entries({"transcripts": source})}


@pytest.mark.parametrize(
    "rel",
    [
        "",
        ".",
        "..",
        "../x",
        "memory/../../x",
        "/etc/passwd",
        "memory//x",
        "link.md",
        "memory/up/passwd",
        "pipe",
        "memory",
    ],
)
def test_nothing_else_is_opened(source: Path, rel: str) -> None:
    with pytest.raises((PathNotAllowed, OSError)):
        os.close(open_entry(source, rel))


@pytest.mark.parametrize("rel", ["../x", "/x", "a/../../x", "", "a\0b"])
def test_no_name_leads_out_of_the_incoming_folder(staging: Staging, rel: str) -> None:
    with pytest.raises(PathNotAllowed):
        staging.write(Entry("workspace", rel, 1, 1, 0o644, ""), iter([b"x"]))


def test_what_came_in_is_what_there_was(staging: Staging, source: Path) -> None:
    for entry in bring(staging, source):
        assert staging.has(entry) and staging.equals(entry)
    staging.take()
    found = list(entries({"workspace": staging.places["workspace"].final}))
    assert found == list(entries({"workspace": source}))


def test_a_difference_is_found_though_size_and_time_are_the_same(staging: Staging, source: Path) -> None:
    first = bring(staging, source)[0]
    copy = staging.places["workspace"].incoming / first.rel
    copy.write_text("eno")
    os.utime(copy, ns=(first.mtime_ns, first.mtime_ns))
    assert staging.has(first) and not staging.equals(first)


def test_what_the_source_has_no_more_goes(staging: Staging, source: Path) -> None:
    first, *_ = bring(staging, source)
    staging.keep_only([first])
    assert [entry.rel for entry in entries({"workspace": staging.places["workspace"].incoming})] == [first.rel]


def test_taking_twice_is_taking_once_and_can_be_undone(staging: Staging, source: Path) -> None:
    bring(staging, source)
    staging.take()
    staging.take()
    assert staging.places["workspace"].final.is_dir()
    staging.hand_back()
    assert not staging.places["workspace"].final.exists()
    kept = staging.clear(keep=True)
    assert [Path(path).name for path in kept] == ["al-7"] and not staging.places["workspace"].incoming.exists()


def test_files_that_lie_there_are_never_overwritten(staging: Staging, source: Path) -> None:
    bring(staging, source)
    final = staging.places["workspace"].final
    (final / "memory").mkdir(parents=True)
    staging.refuse_taken()  # empty folders are none
    (final / "memory" / "mine.md").write_text("mine")
    with pytest.raises(PlaceTaken):
        staging.refuse_taken()
    with pytest.raises(PlaceTaken):
        staging.take()
    assert (final / "memory" / "mine.md").read_text() == "mine"
