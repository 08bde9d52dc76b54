"""Globs over path components: what they match, what they can still reach, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.documents.patterns import BadPattern, Globs, selection
from search.spec import CollectionSpec
from tests.work import IN_PROPORTION, growth


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**/*.md", "a.md", True),
        ("**/*.md", "a/b/c.md", True),
        ("memory/**/*.md", "memory/a.md", True),
        ("memory/**/*.md", "memory/x/y/a.md", True),
        ("memory/**/*.md", "memory2/a.md", False),
        ("*.md", "a/b.md", False),
        ("MEMORY.md", "memory.md", False),
        ("drafts/**", "drafts/a/b.md", True),
        ("202?-*.md", "2026-01.md", True),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "b.md", False),
        ("a.md", "axmd", False),
        ("**/b/**/c.md", "a/b/x/b/c.md", True),
    ],
)
def test_matching(pattern: str, path: str, matches: bool) -> None:
    assert Globs([pattern]).match(path) is matches


@pytest.mark.parametrize(
    "pattern", ["", "/etc/*.md", "../*.md", "a/../b.md", "a//b.md", "a\\b.md", "a\0.md", "x" * 501, "a/" * 40]
)
def test_a_pattern_that_leaves_its_root_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        Globs([pattern])


def test_a_hostile_pattern_stays_fast() -> None:
    globs = Globs(["*a" * 100 + "b", "**/" * 30 + "x"])
    assert not globs.match("/".join(["a" * 200] * 60))
    assert growth(globs.match, lambda length: "/".join(["a" * length] * 60), 200) < IN_PROPORTION
    assert growth(globs.match, lambda count: "/".join(["a" * 200] * count), 64) < IN_PROPORTION


def test_only_folders_that_a_pattern_can_reach_are_alive() -> None:
    globs = Globs(["MEMORY.md", "memory/**/*.md"])
    assert globs.alive(globs.step(globs.start, "memory"))
    assert not globs.alive(globs.step(globs.start, "photos"))


@pytest.mark.parametrize(
    "rel",
    ["a.txt", "a.MD", ".git/a.md", "node_modules/a.md", "x/.hidden/a.md", "._a.md", "drafts/a.md", "drafts/x/a.md"],
)
def test_a_selection_leaves_out_other_hidden_and_ignored_files(rel: str) -> None:
    assert not selection(CollectionSpec("notes", Path("/n"), ignore=("drafts/**",))).takes(rel)
