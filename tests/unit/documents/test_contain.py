"""Reading inside a root: what is refused, what is missing, and that no symlink leads out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "note.md").write_text("inside")
    (tmp_path / "secret.md").write_text("outside")
    return root


def test_reads_a_regular_file(root: Path) -> None:
    assert read_inside(root, "memory/note.md") == b"inside"


@pytest.mark.parametrize(
    "rel",
    [
        "",
        ".",
        "..",
        "/",
        "../secret.md",
        "memory/../../secret.md",
        "memory/./note.md",
        "memory//note.md",
        "memory/note.md/",
        "/etc/passwd",
        "..\\secret.md",
        "memory\\note.md",
        "memory/note.md\0",
        "memory/no\nte.md",
        "memory/\udcff.md",
        "memory/" + "a" * 256 + ".md",
        "a/" * 3000 + "b.md",
    ],
)
def test_refuses_shapes_that_could_leave_the_root(root: Path, rel: str) -> None:
    with pytest.raises(PathNotAllowed):
        read_inside(root, rel)


@pytest.mark.parametrize(
    "rel", ["missing.md", "memory/note.md ", "memory/note.md.", "memory/note.md/x.md", "%2e%2e/secret.md"]
)
def test_a_name_that_does_not_exist_is_missing(root: Path, rel: str) -> None:
    with pytest.raises(FileNotFoundError):
        read_inside(root, rel)


@pytest.mark.parametrize("target", ["../../secret.md", "note.md", "link.md", "nowhere.md"])
def test_a_symlinked_file_is_refused_wherever_it_leads(root: Path, target: str) -> None:
    (root / "memory" / "link.md").symlink_to(target)
    with pytest.raises(PathNotAllowed, match="symlink"):
        read_inside(root, "memory/link.md")


def test_a_symlinked_folder_is_refused(root: Path) -> None:
    (root / "memory" / "up").symlink_to(root.parent)
    with pytest.raises(PathNotAllowed, match="symlink"):
        read_inside(root, "memory/up/secret.md")


def test_a_symlinked_root_is_refused(root: Path) -> None:
    link = root.parent / "alias"
    link.symlink_to(root)
    with pytest.raises(PathNotAllowed, match="symlink"):
        read_inside(link, "memory/note.md")


def test_a_missing_root_is_missing(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_inside(root.parent / "gone", "memory/note.md")


def test_a_folder_named_like_a_note_is_a_folder(root: Path) -> None:
    (root / "memory" / "x.md").mkdir()
    with pytest.raises(IsADirectoryError):
        read_inside(root, "memory/x.md")


def test_a_named_pipe_is_refused_without_waiting(root: Path) -> None:
    os.mkfifo(root / "memory" / "pipe.md")
    with pytest.raises(PathNotAllowed, match="regular"):
        read_inside(root, "memory/pipe.md")


def test_the_byte_limit_is_inclusive(root: Path) -> None:
    assert read_inside(root, "memory/note.md", max_bytes=6) == b"inside"
    with pytest.raises(FileTooLarge) as refused:
        read_inside(root, "memory/note.md", max_bytes=5)
    assert refused.value.size == 6


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "memory" / "link.md").symlink_to("note.md")
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    read_inside(root, "memory/note.md")
    for rel in ("memory/link.md", "memory/none.md", "memory/note.md/x"):
        with pytest.raises((PathNotAllowed, FileNotFoundError)):
            read_inside(root, rel)
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before
