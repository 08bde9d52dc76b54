"""Leftovers of sync tools and systems are no memory; a note that merely sounds like one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.documents.patterns import selection
from search.documents.scan import scan_collection
from search.spec import CollectionSpec

LEFT = """\
#recycle/spare.md
@eaDir/spare.md
$RECYCLE.BIN/x.md
lost+found/x.md
spare.sync-conflict-20260412-111500-QWERTYU.md
spare~20260412-111500.md
spare (Anna's conflicted copy 2026-04-11).md
spare (conflicted copy 2026-04-11 111500).md
spare (Case Conflict 1).md
spare (In Konflikt stehende Kopie von Anna 2026-04-11).md
spare_conflict-20260411-111500.md
2026-04-11-conflict.md
2026-04-11_conflict-2.md
spare.Conflict(1).md
spare [Conflict].md
spare-DESKTOP-4FG7K2Q.md
spare_REMOTE_4711.md
spare.orig.md
~$spare.md
spare (Anna 的冲突副本 2026-04-11).md
spare（Anna 的衝突複本 2026-04-11）.md
spare (Anna の競合コピー 2026-04-11).md
spare (конфликтующая копия, Анна, 2026-04-11).md
spare (cópia conflitante de Ana 2026-04-11).md
spare (SFConflict anna@home.example 2026-04-11-11-15-00).md
old (Anna's conflicted copy 2026-04-11)/spare.md
~snapshot/x.md""".splitlines()
NOTES = """\
conflict-resolution.md
2026-04-11-conflict-with-the-neighbour.md
notes (1).md
conflicted.md
the-conflict-20260411.md
the conflict (a copy).md
desktop-setup.md
the-laptop-battery.md
recycle/spare.md
backup_plan.md""".splitlines()


@pytest.mark.parametrize("rel", LEFT)
def test_a_leftover_is_left_out_and_named(tmp_path: Path, rel: str) -> None:
    path = tmp_path / rel
    path.parent.mkdir(exist_ok=True)
    path.write_text("old")
    found = scan_collection(CollectionSpec("own", tmp_path, ("**/*.md",)))
    assert found.files == []
    assert [problem.path for problem in found.problems] == [rel.split("/")[0]]
    assert "sync tool" in found.problems[0].problem
    assert not selection(CollectionSpec("own", tmp_path, ("**/*.md",))).takes(rel)


@pytest.mark.parametrize("rel", NOTES)
def test_a_note_that_sounds_like_one_is_read(tmp_path: Path, rel: str) -> None:
    path = tmp_path / rel
    path.parent.mkdir(exist_ok=True)
    path.write_text("new")
    assert [file.rel for file in scan_collection(CollectionSpec("own", tmp_path, ("**/*.md",))).files] == [rel]


def test_a_file_that_lies_in_icloud_alone_is_named(tmp_path: Path) -> None:
    (tmp_path / ".plans.md.icloud").write_bytes(b"bplist00")
    (problem,) = scan_collection(CollectionSpec("own", tmp_path, ("**/*.md",))).problems
    assert "iCloud" in problem.problem
