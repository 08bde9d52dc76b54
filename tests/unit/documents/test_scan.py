"""Scanning a collection's folder: what is found, what becomes a problem, and what stays unknown."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from search.documents.scan import Glance, ScanLimits, ScanResult, scan_collection
from search.spec import MEMORY_PATTERNS, CollectionSpec

NOBODY = 65_534


def write(root: Path, *rels: str) -> None:
    for rel in rels:
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rel)


def scan(root: Path, **fields: object) -> ScanResult:
    return scan_collection(CollectionSpec("notes", root, **fields))  # type: ignore[arg-type]


def found(result: ScanResult) -> list[str]:
    return [file.rel for file in result.files]


def problems(result: ScanResult) -> dict[str, str]:
    return {problem.path: problem.problem for problem in result.problems}


def test_the_builtin_patterns_take_memory_and_nothing_else(tmp_path: Path) -> None:
    write(
        tmp_path,
        "MEMORY.md",
        "USER.md",
        "memory/b.md",
        "memory/a/x.md",
        "AGENTS.md",
        "memory.md",
        "notes/n.md",
        "memory/a.txt",
    )
    result = scan(tmp_path, patterns=MEMORY_PATTERNS)
    assert found(result) == ["MEMORY.md", "USER.md", "memory/a/x.md", "memory/b.md"]
    assert result.readable and problems(result) == {
        "memory.md": "is not read under this name; rename it to MEMORY.md"
    }  # fmt: skip


def test_a_file_carries_its_size_time_and_inode(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    status = (tmp_path / "a.md").stat()
    assert scan(tmp_path).files[0][1:] == (status.st_mtime_ns, status.st_size, status.st_ino)


def test_a_folder_without_notes_is_readable_and_empty(tmp_path: Path) -> None:
    assert scan(tmp_path) == ScanResult([], [])


def test_hidden_and_tool_folders_are_left_out_silently(tmp_path: Path) -> None:
    write(tmp_path, ".git/a.md", "node_modules/a.md", "memory/.dreams/a.md", "._a.md", "venv/a.md", "keep/a.md")
    result = scan(tmp_path)
    assert found(result) == ["keep/a.md"] and result.problems == []


def test_ignore_globs_prune_folders_and_files(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "drafts/x/b.md", "c.draft.md")
    assert found(scan(tmp_path, ignore=("drafts/**", "*.draft.md"))) == ["a.md"]


def test_symlinks_are_reported_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "root/a.md", "outside/b.md")
    root = tmp_path / "root"
    (root / "link.md").symlink_to("a.md")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to("loop")
    (root / "photo.jpg").symlink_to("a.md")
    result = scan(root, prefix="notes/")
    assert found(result) == ["a.md"]
    assert problems(result) == dict.fromkeys(["notes/folder", "notes/link.md"], "symlink, not followed")


def test_a_symlinked_root_is_a_problem_and_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "real/a.md")
    (tmp_path / "alias").symlink_to("real")
    result = scan(tmp_path / "alias")
    assert not result.readable and "symlink" in result.problems[0].problem


@pytest.mark.parametrize("name", ["gone", "file.md"])
def test_a_root_that_is_no_folder_is_unreadable_and_not_empty(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file.md")
    result = scan(tmp_path / name)
    assert not result.readable and result.unknown("any.md") and len(result.problems) == 1


def test_a_bad_pattern_is_a_problem_and_not_an_empty_collection(tmp_path: Path) -> None:
    result = scan(tmp_path, patterns=("../*.md",))
    assert not result.readable and ".." in result.problems[0].problem


def test_a_folder_named_like_a_note_is_a_problem_and_still_scanned(tmp_path: Path) -> None:
    write(tmp_path, "x.md/inner.md")
    result = scan(tmp_path)
    assert found(result) == ["x.md/inner.md"] and problems(result) == {"x.md": "is a folder, not a file"}


def test_markdown_under_another_ending_is_named_with_the_way_out(tmp_path: Path) -> None:
    names = ["A.MD", "b.markdown", "old/c.mkd", "ignored/d.MD", "keep.md", "e.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    result = scan(tmp_path, ignore=("ignored/**",))
    assert found(result) == ["keep.md"]
    assert problems(result) == {
        "A.MD": "is not read under this name; rename it to A.md",
        "b.markdown": "is not read under this name; rename it to b.md",
        "old/c.mkd": "is not read under this name; rename it to c.md",
    }


def test_a_curated_file_in_other_case_is_named_where_it_would_be_read(tmp_path: Path) -> None:
    for name in ("Memory.md", "user.MD", "README.MD", "notes.markdown"):
        (tmp_path / name).write_text("text")
    own = scan(tmp_path, patterns=MEMORY_PATTERNS)
    assert set(problems(own)) == {"Memory.md", "user.MD"} and "MEMORY.md" in problems(own)["Memory.md"]
    assert "Memory.md" in found(scan(tmp_path))  # a collection of any notes takes it as it is


def test_a_named_pipe_is_a_problem(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert problems(scan(tmp_path)) == {"pipe.md": "is not a regular file"}


def test_a_file_beyond_the_size_limit_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "long-name.md", "a.md")
    result = scan_collection(CollectionSpec("notes", tmp_path), ScanLimits(max_file_bytes=4))
    assert found(result) == ["a.md"] and "12 bytes" in problems(result)["long-name.md"]


def test_folders_beyond_the_depth_limit_are_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md", "a/b/c.md")
    result = scan_collection(CollectionSpec("notes", tmp_path), ScanLimits(max_depth=1))
    assert found(result) == ["a/b.md"] and "deep" in problems(result)["a/b"]


@pytest.mark.parametrize("name", [b"\xff\xfe.md", b"back\\slash.md", b"new\nline.md"])
def test_a_name_that_no_path_can_carry_is_a_problem(tmp_path: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    result = scan(tmp_path)
    assert found(result) == [] and len(result.problems) == 1
    result.problems[0].path.encode()


@pytest.fixture
def ordinary_user() -> Iterator[Path]:
    """A folder of a user without privileges, who runs the test: root could read every folder."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        was = os.geteuid()
        if was == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield Path(folder)
        os.seteuid(was)


def test_an_unreadable_folder_is_unknown_and_not_empty(ordinary_user: Path) -> None:
    write(ordinary_user, "locked/a.md", "open/b.md")
    (ordinary_user / "locked").chmod(0)
    result = scan(ordinary_user)
    (ordinary_user / "locked").chmod(0o700)
    assert result.unreadable == ("locked",) and found(result) == ["open/b.md"] and result.readable
    assert "Permission denied" in problems(result)["locked"]


def test_an_unreadable_root_is_unknown_and_not_empty(ordinary_user: Path) -> None:
    write(ordinary_user, "root/a.md")
    (ordinary_user / "root").chmod(0)
    result = scan(ordinary_user / "root")
    (ordinary_user / "root").chmod(0o700)
    assert not result.readable and result.unknown("a.md") and result.files == []


def test_only_what_lies_below_an_unreadable_folder_is_unknown() -> None:
    result = ScanResult([], [], unreadable=("memory/locked",))
    assert result.unknown("memory/locked/a.md") and result.unknown("memory/locked")
    assert not result.unknown("memory/locked-2/a.md")


def test_a_glance_ends_at_its_bound_and_says_so(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number:03}.md" for number in range(50)))
    glance = Glance(most_entries=10, most_seconds=60)
    assert len(scan_collection(CollectionSpec("notes", tmp_path), glance=glance).files) == 10 and not glance.complete


def test_a_glance_counts_what_is_passed_over_by_reason(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.jpg", ".c.md", "node_modules/d.md", "drafts/e.md", "other/f.md")
    glance = Glance(most_entries=1000, most_seconds=60)
    spec = CollectionSpec("notes", tmp_path, patterns=("*.md", "drafts/*.md"), ignore=("drafts",))
    scan_collection(spec, glance=glance)
    assert glance.passed_over == {"unread_type": 1, "hidden": 1, "tools": 1, "ignored": 1, "pattern": 1}
    assert glance.complete
