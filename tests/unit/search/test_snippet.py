"""What of a chunk is shown: the lines that answer, whole, in their order, with marks where something was left out."""

from __future__ import annotations

import pytest

from search.documents.passages import split_passages
from search.retrieve.query import parse_query
from search.snippet import Part, Snippet, best_lines, query_words

FILLER = [f"- On day {day} the weather was mild and nothing else of note took place here" for day in range(40)]


def shown(lines: list[str], query: str, *, near: str = "", limit: int = 300) -> Snippet:
    """`near`: passages that hold it are near to the query."""
    text = "\n".join(lines)
    cosines = [float(bool(near) and near in passage) for passage in split_passages(text)]
    snippet = best_lines(text, 11, query_words(parse_query(query), {}), cosines, limit)
    assert snippet is not None
    return snippet


def test_two_distant_answers_are_both_shown_with_their_lines():
    lines = [*FILLER]
    lines[3], lines[30] = "- The heron nests by the mill", "- The second heron nests at the lock"
    snippet = shown(lines, "heron nests", limit=80)
    assert snippet.text == "- The heron nests by the mill\n…\n- The second heron nests at the lock"
    assert snippet.lines == ((14, 14), (41, 41))


def test_a_line_is_found_by_meaning_where_no_word_is_shared():
    lines = [*FILLER]
    lines[20] = "- Grandmother may not eat strawberries"
    assert "strawberries" in shown(lines, "allergy", near="Grandmother").text


def test_a_rare_word_counts_more_than_common_ones():
    lines = [*FILLER]
    lines[2], lines[35] = "- the car and the road to the town", "- the heron"
    text = "\n".join(lines)
    words = query_words(parse_query("car road town heron"), {"car": 0.1, "road": 0.1, "town": 0.1, "heron": 4.0})
    assert best_lines(text, 1, words, [], 40).lines[0] == (36, 36)


def test_the_heading_above_is_kept():
    lines = ["# Birds", *FILLER[:15], "## Mill", *FILLER[15:25], "- The heron nests here", *FILLER[25:]]
    assert "## Mill\n…\n" in shown(lines, "heron").text


def test_lines_are_shown_whole_or_not_at_all():
    lines = [*FILLER, "- The heron nests by the mill"]
    for limit in range(80, 900, 37):
        snippet = shown(lines, "heron", limit=limit)
        assert len(snippet.text) <= limit
        assert set(snippet.text.split("\n")) - {"…"} <= set(lines)


def test_a_long_line_is_shown_by_its_sentences():
    line = (
        " ".join(f"Sentence {n} tells nothing." for n in range(60)) + " The heron nests here. " + "More follows. " * 40
    )
    snippet = shown([line], "heron nests", limit=200)
    assert "The heron nests here." in snippet.text
    assert all(lines == (11, 11) for lines in snippet.lines)


@pytest.mark.parametrize("text", [" \n" * 400, "x" * 5_000, "苹" * 3_000, "# \n" * 900, "\n\n\n".join(FILLER)])
def test_any_text_is_shown_within_its_limit(text):
    snippet = best_lines(text, 1, query_words(parse_query("day"), {}), [], 120)
    assert len(snippet.text) <= 120
    assert sum(end - start + 1 for start, end in snippet.lines) == len(
        [part_line for part in snippet.parts for part_line in part.text.split("\n")]
    )


def test_lines_seen_before_are_not_shown_again():
    text = "\n".join(["- The heron nests by the mill", *FILLER[:3], "- A heron was seen at the lock"])
    words = query_words(parse_query("heron"), {})

    def seen(part: Part) -> bool:
        return "mill" in part.text

    assert "mill" not in best_lines(text, 1, words, [], 500, seen=seen).text
    assert best_lines("- The heron nests by the mill\n- and nothing else", 1, words, [], 500, seen=seen) is None


def test_without_words_and_vectors_the_beginning_is_shown():
    assert shown(FILLER, "zebra", limit=100).lines == ((11, 11),)
