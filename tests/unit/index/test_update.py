"""An update makes the index like the files, and touches nothing when they are unchanged."""

import os
import time

import apsw
import pytest

from search.errors import Cancelled, IndexBusy
from search.index.locks import writer_lock
from search.index.reader import index_status, list_files
from search.index.update import update_index
from tests.engine import WordEmbedder, Workspace, ignore


def age(path, seconds=60):
    """Make a file look as if it had been written a while ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def rows(workspace, sql):
    connection = apsw.Connection(str(workspace.spec.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def test_new_files_are_found_by_their_words(workspace):
    workspace.write("MEMORY.md", "# Memory\n\n- The spare key is under the blue flowerpot\n")
    workspace.write("memory/2026-09-01.md", "Talked to Ana about the boiler.\n")
    report = workspace.update()
    assert (report.scanned, report.added, report.wrote) == (2, 2, True)
    assert workspace.paths("flowerpot") == ["MEMORY.md"]
    assert workspace.paths("boiler") == ["memory/2026-09-01.md"]


@pytest.mark.parametrize("when", [-(10**10), 0, 10**10, 10**11])
def test_a_time_that_no_clock_should_show_stops_nothing(workspace, when):
    os.utime(workspace.write("memory/odd.md", "The walrus sleeps.\n"), (when, when))
    workspace.write("memory/plain.md", "The ocelot waits.\n")
    workspace.update()
    assert (workspace.paths("walrus"), workspace.paths("ocelot")) == (["memory/odd.md"], ["memory/plain.md"])
    assert not workspace.update().changed


def test_an_unchanged_folder_is_not_written(workspace):
    age(workspace.write("MEMORY.md", "- one fact\n"))
    workspace.update()
    before = [(p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(workspace.spec.path.parent.iterdir())]
    report = workspace.update()
    after = [(p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(workspace.spec.path.parent.iterdir())]
    assert not report.wrote
    assert [entry for entry in before if entry[0].endswith("sqlite")] == [
        entry for entry in after if entry[0].endswith("sqlite")
    ]


def test_a_changed_file_replaces_its_chunks(workspace):
    path = workspace.write("memory/notes.md", "The door code is 4711.\n")
    workspace.update()
    path.write_text("The door code is 0815.\n")
    report = workspace.update()
    assert report.changed == 1
    assert workspace.paths("4711") == []
    assert workspace.paths("0815") == ["memory/notes.md"]


def test_a_change_within_the_clock_tick_is_noticed(workspace):
    path = workspace.write("memory/notes.md", "aaaa\n")
    stamp = path.stat()
    workspace.update()
    path.write_text("bbbb\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    workspace.update()
    assert workspace.paths("bbbb") == ["memory/notes.md"]


def test_removed_and_renamed_files_leave_no_orphans(workspace):
    workspace.write("memory/a.md", "alpha\n")
    path = workspace.write("memory/b.md", "bravo\n")
    workspace.update()
    workspace.embed(WordEmbedder())
    (workspace.root / "memory/a.md").unlink()
    path.rename(workspace.root / "memory/c.md")
    workspace.update()
    assert workspace.paths("alpha") == []
    assert workspace.paths("bravo") == ["memory/c.md"]
    chunks = {row[0] for row in rows(workspace, "SELECT id FROM chunks")}
    assert {row[0] for row in rows(workspace, "SELECT rowid FROM chunks_fts")} == chunks
    assert {row[0] for row in rows(workspace, "SELECT file_id FROM chunks")} == {
        row[0] for row in rows(workspace, "SELECT id FROM files")
    }


def test_a_renamed_file_is_not_embedded_again(workspace):
    embedder = WordEmbedder()
    path = workspace.write("memory/a.md", "alpha\n")
    workspace.update()
    workspace.embed(embedder)
    path.rename(workspace.root / "memory/b.md")
    assert workspace.update().pending == 0
    assert len(embedder.seen) == 1


def test_one_bad_file_never_stops_the_rest(workspace):
    workspace.write("memory/bad.md", b"caf\xe9 au lait\n")
    workspace.write("memory/good.md", "good news\n")
    (workspace.root / "memory/x.md").mkdir()
    (workspace.root / "memory/link.md").symlink_to("/etc/hostname")
    report = workspace.update()
    assert report.added == 2
    assert workspace.paths("lait") == ["memory/bad.md"]
    problems = index_status(workspace.spec, None).collections[0].problems
    assert {problem.path for problem in problems} == {"memory/bad.md", "memory/x.md", "memory/link.md"}


def test_a_folder_that_cannot_be_read_is_not_an_empty_folder(workspace):
    workspace.write("memory/a.md", "alpha\n")
    workspace.update()
    (workspace.root).rename(workspace.root.with_name("away"))
    report = workspace.update()
    assert report.removed == 0
    assert report.problems == 1
    assert workspace.paths("alpha") == ["memory/a.md"]


def test_problems_go_when_they_are_mended(workspace):
    link = workspace.root / "memory/link.md"
    link.symlink_to("/etc/hostname")
    assert workspace.update().problems == 1
    link.unlink()
    assert workspace.update().problems == 0
    assert list_files(workspace.spec) == ()


def test_a_collection_that_was_taken_away_is_forgotten(tmp_path):
    house = tmp_path / "house"
    house.mkdir()
    (house / "boiler.md").write_text("The boiler hums.\n")
    with_house = Workspace(tmp_path, house=house)
    with_house.update()
    assert with_house.paths("boiler") == ["house/boiler.md"]
    without = update_index(
        type(with_house.spec)("al", with_house.spec.path, with_house.spec.collections[:1]),
        identity=None,
        progress=ignore,
        cancelled=lambda: False,
    )
    assert without.removed == 1


def test_a_long_line_is_indexed_to_its_end(workspace):
    workspace.write("memory/long.md", "word " * 600_000 + "needle\n")
    workspace.update()
    assert workspace.paths("needle") == ["memory/long.md"]


def test_a_second_writer_is_told_to_wait(workspace):
    with writer_lock(workspace.spec.path), pytest.raises(IndexBusy):
        workspace.update()


def test_a_cancelled_update_keeps_what_it_wrote(workspace):
    for number in range(40):
        workspace.write(f"memory/{number:02}.md", f"note{number} " * 8_000)
    calls = iter([False] * 30 + [True])
    with pytest.raises(Cancelled):
        update_index(workspace.spec, identity=None, progress=ignore, cancelled=lambda: next(calls))
    assert 0 < index_status(workspace.spec, None).files < 40
    workspace.update()
    assert index_status(workspace.spec, None).files == 40


def test_a_corrupt_index_is_set_aside_and_made_again(workspace):
    workspace.write("memory/a.md", "alpha\n")
    workspace.update()
    workspace.spec.path.write_bytes(b"this is no database" * 1_000)
    assert workspace.search("alpha").outcome == "unavailable"
    workspace.update()
    assert workspace.paths("alpha") == ["memory/a.md"]
    assert list(workspace.spec.path.parent.glob("*.aside-*"))


def test_a_deleted_index_comes_back(workspace):
    workspace.write("memory/a.md", "alpha\n")
    workspace.update()
    for side in workspace.spec.path.parent.iterdir():
        side.unlink()
    assert workspace.search("alpha").outcome == "unavailable"
    workspace.update()
    assert workspace.paths("alpha") == ["memory/a.md"]
