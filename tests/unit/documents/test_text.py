"""Weights against the reference's vectors, cuts that tear nothing apart, and dates in paths."""

from __future__ import annotations

from datetime import date
from itertools import accumulate

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from search.documents.text import (
    aged_from,
    cut_line,
    dated_path,
    estimate_tokens,
    evergreen,
    line_costs,
    safe_cut,
    tail_within,
    weighted_length,
)

MIXED = st.text(st.sampled_from("ab é记。ｱＡ𠀀🌸가⼀·\u0301\u200d\ufe0f"), max_size=300)


@pytest.mark.parametrize(
    ("chars", "weight"),
    [("aéя", 1), ("记。Ａ가·か", 4), ("ｱ", 8), ("⼀㐀ᄀꀀ\U0001d360", 12), ("𠀀\U0001f200", 16), ("🌸", 2)],
)
def test_weight_of_characters(chars: str, weight: int) -> None:
    assert [weighted_length(char) for char in chars] == [weight] * len(chars)
    assert weighted_length(chars) == weight * len(chars)


def test_tokens_are_rounded_up() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde", "记忆")] == [0, 1, 1, 2, 2]


@given(st.lists(MIXED, min_size=1))
def test_line_costs_are_the_weights_and_a_newline_each(lines: list[str]) -> None:
    assert line_costs(lines) == [weighted_length(line) + 1 for line in lines]


@given(MIXED, st.integers(32, 80))
def test_pieces_are_the_line_and_within_the_limit(line: str, limit: int) -> None:
    pieces = cut_line(line, limit)
    assert "".join(pieces) == line
    assert all(piece and weighted_length(piece) <= limit for piece in pieces)


@given(MIXED, st.integers(0, 80))
def test_a_tail_is_the_end_of_the_line_and_within_the_limit(line: str, limit: int) -> None:
    tail = tail_within(line, limit)
    assert line.endswith(tail) and weighted_length(tail) <= limit


def test_a_joined_emoji_is_not_cut_in_two() -> None:
    family = "👩‍👩‍👧"
    assert set(cut_line(family * 30, 33)) == {family * 4, family * 2}
    assert tail_within(family * 2, 10) == family


def test_a_cut_in_nothing_but_combining_marks_still_gets_on() -> None:
    assert safe_cut("e" + "\u0301" * 100, 50) == 50
    assert "".join(cut_line("\u0301" * 1000, 32)) == "\u0301" * 1000


@pytest.mark.parametrize(
    "rel",
    [
        "memory/2026-09-01.md",
        "memory/2026-09-01-1530.md",
        "memory/a/b/2026-09-01-trip.md",
        "notes/memory/2026-09-01.md",
    ],
)
def test_dated_paths(rel: str) -> None:
    assert dated_path(rel) == date(2026, 9, 1)
    assert not evergreen(rel)


@pytest.mark.parametrize(
    "rel",
    [
        "MEMORY.md",
        "USER.md",
        "memory/projects.md",
        "memory/x2026-09-01.md",
        "memory/20260901.md",
        "memory/2026-09-01_x.md",
    ],
)
def test_evergreen_paths(rel: str) -> None:
    assert evergreen(rel) and dated_path(rel) is None


@pytest.mark.parametrize(
    "rel",
    [
        "memory/2026-02-30.md",
        "notes/2026-09-01.md",
        "memory.md",
        "DREAMS.md",
        "notes/MEMORY.md",
        "memory/0000-01-01.md",
    ],
)
def test_paths_that_age_by_their_modification_time(rel: str) -> None:
    assert dated_path(rel) is None and not evergreen(rel)
    assert aged_from(rel, source="memory", mtime=12.5) == 12.5


def test_age_counts_from_midnight_utc_of_the_date() -> None:
    assert aged_from("memory/1970-01-02.md", source="memory", mtime=5) == 86_400
    assert aged_from("memory/1970-01-02.md", source="sessions", mtime=5) == 5
    assert aged_from("memory/topic.md", source="memory", mtime=5) is None


@pytest.mark.parametrize(
    "text",
    [
        "แม่ซื้อน้ำที่ตลาด", "นํ้าใจ", "हिन्दी में क्षत्रिय", "ภാഷ മലയാളം ശ്രീ", "မြန်မာဘာသာ", "ភាសាខ្មែរស្រី",
        "שָׁלוֹם", "مُدَرِّسٌ", "e\u0301a\u0308", "🇩🇪🇫🇷🇯🇵", "각\u1100\u1161", "👩\u200d👩\u200d👧🏽👍🏿", "ශ්\u200dරී ලංකා",
    ],
)  # fmt: skip
def test_text_is_cut_between_visible_characters_of_every_script(text: str) -> None:
    long = text * 30
    ends = {match.end() for match in regex.finditer(r"\X", long)}
    cuts = list(accumulate(len(piece) for piece in cut_line(long, 40)))
    assert set(cuts) <= ends
    assert all(safe_cut(long, end) in ends for end in range(20, 90))
    assert all(len(long) - len(tail_within(long, limit)) in {0, *ends} for limit in range(1, 60))
