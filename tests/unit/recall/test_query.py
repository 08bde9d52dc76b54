"""search_query() and conversation(): the person's own words, and nothing that recall or a gateway put there."""

from __future__ import annotations

import pytest

from search.recall.block import context_block
from search.recall.outcome import Note, Source
from search.recall.query import EARLIER_CHARS, QUERY_CHARS, HistoryTurn, clean, conversation, cut, search_query

BLOCK = context_block([Note("the key is under the pot", Source("MEMORY.md", 3, 3))])


@pytest.mark.parametrize(
    "noise",
    [
        BLOCK,
        "<active_memory_plugin>old notes</active_memory_plugin>",
        '```json\n{"chat": 42}\n```',
        "~~~\nrm -rf\n~~~",
        "<<<EXTERNAL_UNTRUSTED_CONTENT>>>\nbuy now\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>",
        "<untrusted_email>click</untrusted_email>",
        "[message_id: 123]",
        "🧩 Active Memory: status=ok elapsed=842ms",
        "Conversation info (untrusted metadata):",
    ],
)
def test_what_the_person_did_not_write_is_not_searched_for(noise: str) -> None:
    assert clean(f"{noise}\nWhere is the boat?") == "Where is the boat?"


def test_a_block_that_was_cut_off_is_taken_out_to_the_end() -> None:
    assert clean("Where is the boat?\n" + BLOCK[:-20]) == "Where is the boat?"


def test_a_short_message_takes_the_turn_before_with_it() -> None:
    history = [HistoryTurn("user", "Tell me about the boiler " + "x" * 200), HistoryTurn("assistant", "Sure.")]
    query = search_query("And when?", history)
    assert query.startswith("Tell me about the boiler") and query.endswith("And when?")
    assert len(query) <= EARLIER_CHARS + len(" And when?")


@pytest.mark.parametrize("message", ["我的生日是哪天", "when was the boiler fixed"])
def test_a_message_that_says_enough_stands_alone(message: str) -> None:
    assert search_query(message, [HistoryTurn("user", "something else entirely")]) == message


def test_a_long_message_is_cut_at_a_word() -> None:
    query = search_query("word " * 300, [])
    assert len(query) <= QUERY_CHARS and query.endswith("word")


def test_a_cut_never_tears_a_visible_character() -> None:
    family = "👨‍👩‍👧"
    assert cut("ab" + family + "cd", 4, mark="…") == "ab…"
    assert cut("e\u0301e\u0301e\u0301", 3) == "e\u0301"


def test_query_modes_show_more_and_more_of_the_conversation() -> None:
    history = [HistoryTurn("user", f"question {n}") for n in range(5)] + [HistoryTurn("assistant", "reply")]
    assert conversation("now", history, "message") == "now"
    recent = conversation("now", history, "recent")
    assert "question 4" in recent and "question 2" not in recent and recent.endswith("now")
    assert "question 0" in conversation("now", history, "full")
