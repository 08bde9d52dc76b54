"""Late interaction: the arithmetic of its bits, what a token weighs, and what it does to the order."""

from __future__ import annotations

import numpy as np
import pytest

from search.rank.late import JUDGED, cosines, token_shares
from search.spec import RankingSpec
from tests.engine import TokenEmbedder, Workspace


def test_counting_bits_gives_the_cosines_of_the_signs() -> None:
    random = np.random.RandomState(3)
    query = random.standard_normal((5, 192)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    signs = np.where(random.rand(40, 192) > 0.5, 1.0, -1.0)
    rows = np.packbits(signs > 0, axis=1).view(np.uint64)
    assert cosines(query, rows) == pytest.approx(query @ signs.T / np.sqrt(192), abs=0.08)


@pytest.mark.parametrize(
    ("pieces", "weights", "expected"),
    [
        (("▁Where", "▁is", "▁the", "▁key", "?"), {"key": 3.0}, (0.3, 0.3, 0.3, 3.0, 0.0)),
        (("▁spa", "re", "▁keys"), {"spare": 4.0, "key": 3.0}, (4 / 2**0.5, 4 / 2**0.5, 3.0)),
        (("▁", "备用", "钥匙", "在", "哪里", "？"), {"备用": 2.0, "钥匙": 6.0}, (0.0, 2.0, 6.0, 0.6, 0.6, 0.0)),
        (("▁the", "▁a"), {}, (1.0, 1.0)),
    ],
)
def test_a_token_weighs_what_its_word_does(
    pieces: tuple[str, ...], weights: dict[str, float], expected: tuple[float, ...]
) -> None:
    shares = token_shares(pieces, weights)
    assert shares == pytest.approx(expected, abs=1e-6)


def test_the_chunk_with_all_words_in_it_comes_first_and_the_explanation_adds_up(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    workspace.write("memory/a.md", "the boat trailer stands in the yard\n")
    workspace.write("memory/b.md", "boat boat boat paint and boat varnish\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    found = workspace.search("boat trailer", embedder, explain=True, min_score=0)
    assert "late" in found.timings_ms
    best = found.results[0]
    assert best.path == "memory/a.md" and best.explain is not None and best.explain.late is not None
    e = best.explain
    assert e.late is not None and e.late_weight == 0.4
    assert e.relevance == pytest.approx((1 - e.late_weight) * e.fused + e.late_weight * e.late)
    assert e.weighed == pytest.approx(e.relevance * e.decay * e.importance * e.project * e.date)
    off = workspace.search("boat trailer", embedder, explain=True, ranking=RankingSpec(late_interaction=False))
    assert "late" not in off.timings_ms and off.results[0].explain and off.results[0].explain.late is None


def test_what_is_not_judged_stays_behind_what_is(workspace: Workspace) -> None:
    embedder = TokenEmbedder()
    for number in range(JUDGED + 20):
        workspace.write(f"memory/n{number}.md", f"boat note number{number} about the harbour\n")
    workspace.update(embedder.identity())
    workspace.embed(embedder)
    ranking = RankingSpec(mmr=False)
    found = workspace.search("boat harbour", embedder, explain=True, min_score=0, max_results=100, ranking=ranking)
    judged = [hit.explain is not None and hit.explain.late is not None for hit in found.results]
    assert len(judged) == JUDGED + 20 and judged.index(False) == JUDGED and not any(judged[JUDGED:])
