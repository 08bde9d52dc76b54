"""cue_words(): which words of a message spoke for or against recalling."""

from __future__ import annotations

import pytest

from search.recall.intent import cue_words, judge_intent


@pytest.mark.parametrize(
    ("message", "cue", "word"),
    [
        ("What did we decide about the roof yesterday?", "past_time", "yesterday"),
        ("我们昨天决定了什么？", "past_time", "昨天"),
        ("Please translate this into French", "text_task", "translate"),
    ],
)
def test_the_words_behind_a_cue(message: str, cue: str, word: str) -> None:
    found = {one.cue: one.words for one in cue_words(message)}
    assert any(word in said for said in found[cue])


def test_they_are_those_that_the_verdict_names() -> None:
    message = "Could you make the usual soup again tomorrow?"
    evidence = judge_intent(message, None).evidence
    assert [one.cue for one in cue_words(message)] == evidence.partition("cues: ")[2].split(", ")


def test_a_message_without_any_has_none() -> None:
    assert cue_words("") == () == cue_words("🙂")
