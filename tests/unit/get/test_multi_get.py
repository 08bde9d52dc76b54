"""multi_get(): lists, globs, and the limits that are reported instead of being hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import BadQuery
from search.get import MAX_FILES, multi_get
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec


@pytest.fixture
def spec(tmp_path: Path) -> IndexSpec:
    texts = {
        "ws/MEMORY.md": "curated\n",
        "ws/memory/2026-09-01.md": "one",
        "ws/memory/2026-09-02.md": "two",
        "ws/TOOLS.md": "no",
    }
    for rel, text in {**texts, "house/manual.md": "boiler", "sessions/s.md": "secret"}.items():
        (tmp_path / rel).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / rel).write_text(text)
    return IndexSpec(
        "a",
        tmp_path / "index.sqlite",
        (
            CollectionSpec("memory", tmp_path / "ws", MEMORY_PATTERNS),
            CollectionSpec("house", tmp_path / "house", prefix="house/"),
            CollectionSpec("sessions", tmp_path / "sessions", source="sessions", prefix="sessions/"),
        ),
    )


def test_a_bad_name_does_not_hold_back_the_others(spec: IndexSpec) -> None:
    results = multi_get(spec, paths=["MEMORY.md", "../x.md", "memory/none.md", "MEMORY.md", "house/manual.md"])
    assert [result.status for result in results] == ["ok", "error", "not_found", "ok"]
    assert (results[0].text, results[0].lines, results[0].total_lines) == ("curated", 1, 1)


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("memory/2026-09-*.md", ["memory/2026-09-01.md", "memory/2026-09-02.md"]),
        ("**/*.md", ["MEMORY.md", "memory/2026-09-01.md", "memory/2026-09-02.md", "house/manual.md"]),
        ("house/**", ["house/manual.md"]),
        ("sessions/**", []),
        ("TOOLS.md", []),
    ],
)
def test_a_glob_matches_the_paths_that_users_see(spec: IndexSpec, glob: str, paths: list[str]) -> None:
    assert [result.path for result in multi_get(spec, glob=glob)] == paths


def test_a_file_beyond_max_bytes_is_named_with_its_size(spec: IndexSpec) -> None:
    results = multi_get(spec, glob="memory/*.md", max_bytes=2)
    assert {result.code for result in results} == {"too_large"}
    assert results[0].error and "3 bytes" in results[0].error and "with get" in results[0].error


def test_files_beyond_the_number_limit_are_named(spec: IndexSpec) -> None:
    for number in range(MAX_FILES + 2):
        (spec.collections[1].root / f"n{number:03}.md").write_text("x")
    results = multi_get(spec, glob="house/n*.md")
    assert [result.status for result in results].count("ok") == MAX_FILES
    assert [result.code for result in results[MAX_FILES:]] == ["too_large", "too_large"]


def test_files_beyond_the_total_size_are_named(spec: IndexSpec) -> None:
    for number in range(3):
        (spec.collections[1].root / f"n{number}.md").write_text("x" * 3_000_000)
    results = multi_get(spec, glob="house/n*.md", max_bytes=4_000_000)
    assert [result.code for result in results] == [None, None, "too_large"]


@pytest.mark.parametrize("glob", ["../**", "/etc/*", "", "a\\b", "x" * 1000])
def test_a_glob_that_leaves_the_collections_is_refused(spec: IndexSpec, glob: str) -> None:
    with pytest.raises(BadQuery):
        multi_get(spec, glob=glob)


def test_exactly_one_way_of_naming_files_is_needed(spec: IndexSpec) -> None:
    for arguments in ({}, {"paths": ["MEMORY.md"], "glob": "*.md"}, {"paths": ["MEMORY.md"], "max_bytes": 0}):
        with pytest.raises(BadQuery):
            multi_get(spec, **arguments)  # type: ignore[arg-type]
