"""The cache is bounded: what the index uses stays for good, of the rest what was used last."""

from __future__ import annotations

import pytest

from search.index import maintain
from search.index.maintain import maintain_index
from tests.engine import WordEmbedder, Workspace
from tests.unit.index.test_update import rows


@pytest.fixture
def left(workspace: Workspace) -> Workspace:
    """Notes 0 to 4 were taken out of the index one after another, the first of them last; 5 and 6 are in it."""
    for n in range(7):
        workspace.write(f"memory/{n}.md", f"note about subject{n}")
    workspace.update()
    workspace.embed(WordEmbedder())
    for n in reversed(range(5)):
        (workspace.root / f"memory/{n}.md").unlink()
        workspace.update()
    return workspace


def returning(workspace: Workspace) -> list[str]:
    """What must be embedded when all notes come back."""
    embedder = WordEmbedder()
    for n in range(7):
        workspace.write(f"memory/{n}.md", f"note about subject{n}")
    workspace.update()
    workspace.embed(embedder)
    return sorted(embedder.seen)


def test_the_vectors_unused_for_longest_go(left: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "CACHE_KEEP", 2)
    assert maintain_index(left.spec.path) == 3
    assert returning(left) == [f"note about subject{n}" for n in (2, 3, 4)]


def test_what_is_in_use_stays_when_nothing_else_may(left: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "CACHE_KEEP", 0)
    assert maintain_index(left.spec.path) == 5
    assert left.paths("subject5", WordEmbedder(), mode="vsearch")[0] == "memory/5.md"
    assert len(rows(left, "SELECT 1 FROM embedding_cache")) == 2
    assert maintain_index(left.spec.path) == 0


def test_below_the_limit_everything_is_kept(left: Workspace) -> None:
    assert maintain_index(left.spec.path) == 0
    assert returning(left) == []
