"""Every problem that a scan tells of has its remedy: the sentences and their classes must not part."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from search.documents.parse import parse_document
from search.documents.remedies import Remedy, remedy
from search.documents.scan import ScanLimits, scan_collection
from search.spec import ChunkingSpec, CollectionSpec

LIMITS = ScanLimits(max_file_bytes=10, max_depth=1)


def deep(root: Path) -> None:
    (root / "a" / "b" / "c").mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda root: (root / "a.md").symlink_to("/etc/hostname"), "link"),
        (lambda root: (root / "a.md").write_text("x" * 11), "large"),
        (lambda root: (root / "a.md").mkdir(), "no_file"),
        (lambda root: os.mkfifo(root / "a.md"), "no_file"),
        (lambda root: (root / "a\n.md").write_text("x"), "name"),
        (lambda root: (root / "a\\b.md").write_text("x"), "name"),
        (deep, "deep"),
    ],
)
def test_what_a_scan_skips_has_its_remedy(tmp_path: Path, make: Callable[[Path], None], expected: Remedy) -> None:
    make(tmp_path)
    problems = scan_collection(CollectionSpec("notes", tmp_path), LIMITS).problems
    assert [remedy(problem.problem) for problem in problems] == [expected]


def test_a_folder_that_is_not_there_has_its_remedy(tmp_path: Path) -> None:
    (problem,) = scan_collection(CollectionSpec("notes", tmp_path / "none")).problems
    assert remedy(problem.problem) == "gone"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: [b\n---\n", "front_matter"),
        ("a" * 9 + "bC3/" * 200, "rubbish"),
        ("f\n" * 100, "rubbish"),
    ],
)
def test_what_is_wrong_inside_a_file_has_its_remedy(text: str, expected: Remedy) -> None:
    (problem,) = parse_document("a.md", text.encode(), curated=False, chunking=ChunkingSpec()).problems
    assert remedy(problem) == expected


def test_what_is_not_known_is_other() -> None:
    assert remedy("the moon is full") == "other"
