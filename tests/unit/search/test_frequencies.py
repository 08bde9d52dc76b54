"""Word frequencies are remembered for a while; an index that has shrunk since then is searched all the same."""

from __future__ import annotations

from pathlib import Path

from search import pipeline
from search.index.update import update_index
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec, SearchRequest


def test_a_word_that_every_chunk_has_is_found_after_some_chunks_have_gone(tmp_path: Path) -> None:
    root = tmp_path / "al"
    (root / "memory").mkdir(parents=True)
    notes = [root / "memory" / f"{number}.md" for number in range(40)]
    for number, note in enumerate(notes):
        note.write_text(f"Lantern number {number} is lit.\n")
    spec = IndexSpec("al", tmp_path / "al.sqlite", (CollectionSpec("memory", root, MEMORY_PATTERNS),))

    def update_and_search() -> str:
        update_index(spec, identity=None, progress=lambda _: None, cancelled=lambda: False, lock_timeout=5)
        return pipeline.search(spec, SearchRequest("lantern", mode="search", min_score=0.0), None).outcome

    before = update_and_search()
    for note in notes[:3]:
        note.unlink()
    assert (before, update_and_search()) == ("ok", "ok")
