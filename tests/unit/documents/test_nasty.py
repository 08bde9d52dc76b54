"""The shared collection of hostile Markdown and paths, run against the parser and the container."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from search.documents.contain import PathNotAllowed, read_inside
from search.documents.parse import parse_document
from search.get import get_document
from search.spec import MEMORY_PATTERNS, ChunkingSpec, CollectionSpec, IndexSpec

NASTY = Path(__file__).parents[4] / "shared" / "data" / "nasty.jsonl"

pytestmark = pytest.mark.skipif(not NASTY.exists(), reason="needs ../shared/data/nasty.jsonl beside the repository")


def cases(kind: str) -> list[Any]:
    lines = NASTY.read_text().splitlines() if NASTY.exists() else []
    found = [json.loads(line) for line in lines]
    return [pytest.param(case, id=case["id"]) for case in found if case["kind"] == kind]


def expand(value: str | dict[str, Any]) -> str:
    if isinstance(value, str):
        return value
    return str(value["prefix"] + value["repeat"] * value["count"] + value["suffix"])


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("- fact\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("secret")
    (tmp_path / "MEMORY.md").write_text("outside")
    (tmp_path / "secret.md").write_text("outside")
    return root


def prepare(root: Path, case: dict[str, Any]) -> str:
    if link := case.get("setup", {}).get("symlink"):
        (root / link["name"]).symlink_to(link["target"])
    return expand(case["input"])


@pytest.mark.parametrize("case", cases("path"))
def test_get_refuses_or_misses_every_hostile_path(workspace: Path, case: dict[str, Any]) -> None:
    path = prepare(workspace, case)
    spec = IndexSpec("a", workspace / "i", (CollectionSpec("memory", workspace, MEMORY_PATTERNS),))
    result = get_document(spec, path)
    assert result.status in ("error", "not_found") and result.text == ""
    assert result.status == "not_found" or result.code == "path_not_allowed"


@pytest.mark.parametrize("case", [case for case in cases("path") if case.values[0]["id"] != "pd40"])
def test_the_container_alone_refuses_or_misses_every_hostile_path(workspace: Path, case: dict[str, Any]) -> None:
    path = prepare(workspace, case)
    with pytest.raises((PathNotAllowed, FileNotFoundError, IsADirectoryError)):
        read_inside(workspace, path)


@pytest.mark.parametrize("curated", [True, False])
@pytest.mark.parametrize("case", cases("markdown"))
def test_hostile_markdown_is_cut_into_chunks_with_true_lines(case: dict[str, Any], curated: bool) -> None:
    text = expand(case["input"])
    document = parse_document("memory/x.md", text.encode(), curated=curated, chunking=ChunkingSpec())
    count = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= chunk.start_line <= chunk.end_line <= count for chunk in document.chunks)
    assert bool(document.chunks) == bool(text.strip())
