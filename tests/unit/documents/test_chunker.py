"""The chunker against the reference's golden vectors, and where headings go."""

from __future__ import annotations

import pytest

from search.documents.chunker import Cut, attach_headings, cut_entries, cut_lines, entry_ranges
from search.documents.outline import read_outline
from search.spec import ChunkingSpec
from tests.work import IN_PROPORTION, growth

DEFAULT = ChunkingSpec()


def ranges(text: str, chunking: ChunkingSpec = DEFAULT) -> list[tuple[int, int]]:
    return [(found.start_line, found.end_line) for found in cut(text, chunking)]


def cut(text: str, chunking: ChunkingSpec = DEFAULT) -> list[Cut]:
    lines = text.split("\n")
    return cut_lines(lines, chunking, headings=read_outline(lines).lines)


def sizes(text: str) -> list[int]:
    return [len(found.text) for found in cut(text)]


def test_lines_overlap_by_whole_lines() -> None:
    text = "\n".join(["x" * 79] * 100)
    assert ranges(text) == [(1, 20), (17, 36), (33, 52), (49, 68), (65, 84), (81, 100)]
    assert set(sizes(text)) == {1599}


def test_a_long_line_is_cut_and_only_a_small_piece_is_overlapped() -> None:
    assert sizes("a" * 5000) == [1600, 1600, 1600, 520]
    assert ranges("a" * 5000) == [(1, 1)] * 4
    assert cut("a" * 5000)[-1].text == "a" * 319 + "\n" + "a" * 200


def test_han_characters_weigh_four() -> None:
    assert sizes("记" * 1000) == [400, 400, 280]
    assert ranges("\n".join(["记" * 100] * 20)) == [(1, 3), (3, 6), (6, 9), (9, 12), (12, 15), (15, 18), (18, 20)]


def test_emoji_are_not_split() -> None:
    chunks = cut("🌸" * 3000)
    assert len(chunks) == 4
    assert all(set(chunk.text) <= {"🌸", "\n"} for chunk in chunks)


def test_a_final_newline_is_one_more_line_of_the_chunk() -> None:
    assert ranges("one\ntwo\n") == [(1, 3)]


@pytest.mark.parametrize("text", ["", "\n\n\n\n", "  \n\t\n", "\n" * 5000])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert cut(text) == []


def test_a_chunk_that_would_only_repeat_its_overlap_is_dropped() -> None:
    assert ranges("\n".join(["x" * 79] * 20) + "\n\n\n") == [(1, 20)]


def test_without_overlap_chunks_are_disjoint() -> None:
    assert ranges("\n".join(["x" * 79] * 40), ChunkingSpec(overlap=0)) == [(1, 20), (21, 40)]


def test_senseless_sizes_are_clamped() -> None:
    assert ranges("\n".join(["x" * 15] * 4), ChunkingSpec(tokens=0, overlap=-5)) == [(1, 2), (3, 4)]
    assert len(cut("\n".join(["x" * 15] * 50), ChunkingSpec(tokens=8, overlap=800))) < 100


def test_a_heading_goes_with_a_body_that_fills_a_chunk() -> None:
    text = "# Title\n\n" + "x" * 1700
    assert ranges(text) == [(1, 3), (3, 3)]
    assert sizes(text) == [8 + 1 + 1600, 420]
    assert ranges("# Title\n\n" + "x" * 1590) == [(1, 3)]


def test_a_heading_at_the_end_of_a_full_chunk_moves_to_its_body() -> None:
    text = "\n".join(["x" * 79] * 19 + ["", "## Next", "", "y" * 1600])
    assert ranges(text) == [(1, 20), (21, 23)]


def test_headings_alone_are_a_chunk_when_there_is_nothing_else() -> None:
    assert ranges("# A\n## B\n### C\n#### D\n") == [(1, 5)]


def test_a_long_list_of_headings_is_not_moved_into_one_giant_chunk() -> None:
    chunks = cut("# heading\n" * 2000 + "body")
    assert max(len(chunk.text) for chunk in chunks) <= 2000
    assert chunks[-1].text.endswith("# heading\nbody")


CURATED = ["# Memory", "", "- first fact", "  more", "- second fact", "", "## People", "- Ana likes tea", ""]


def test_entries_and_sections_start_ranges() -> None:
    assert entry_ranges(CURATED) == [(0, 2), (2, 4), (4, 6), (6, 7), (7, 9)]


def test_a_bare_heading_goes_with_its_first_entry() -> None:
    cuts = cut_entries(CURATED, DEFAULT, headings=(1, 7))
    assert [(found.start_line, found.end_line) for found in cuts] == [(1, 4), (5, 6), (7, 9)]


def test_a_heading_with_its_own_text_is_an_entry() -> None:
    assert attach_headings(["# A", "text", "- b"], [(0, 2), (2, 3)]) == [(0, 2), (2, 3)]


def test_a_last_bare_heading_stays_alone() -> None:
    assert attach_headings(["- a", "# B", "# C"], [(0, 1), (1, 2), (2, 3)]) == [(0, 1), (1, 3)]


def test_text_before_the_first_entry_is_kept_and_nested_items_stay_with_their_parent() -> None:
    assert entry_ranges(["intro", "- a", "  - nested", "#tag", "- b"]) == [(0, 1), (1, 4), (4, 5)]


def test_no_overlap_crosses_entries() -> None:
    cuts = cut_entries(["- " + "a" * 1700, "- b"], DEFAULT)
    assert [(found.start_line, found.end_line, len(found.text)) for found in cuts] == [
        (1, 1, 1600),
        (1, 1, 422),
        (2, 2, 3),
    ]


@pytest.mark.parametrize(
    ("unit", "count"), [("x", 2_000_000), ("memory ", 80_000), ("记", 400_000), ("# h\n", 50_000), ("é\n", 100_000)]
)
def test_large_files_are_cut_in_linear_time(unit: str, count: int) -> None:
    assert growth(cut, lambda size: unit * size, count) < IN_PROPORTION
