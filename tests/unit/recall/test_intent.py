"""Recall intent: what asks for memory, what does not, and what stands in no language file."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from search.documents.terms import fold
from search.language.tables import BadLanguage
from search.recall.intent import judge_intent
from search.recall.intent.language import CUES, languages, read_language
from search.recall.intent.reading import LONGEST, read_message

ASKS = [
    "这个问题上次我也提过了",
    "上次不是提过吗",
    "我们之前讨论过方案",
    "上次我们聊过明天的安排",
    "你還記得我們昨天說了什麼嗎",
    "What did we decide about the venue?",
    "tomorrow we meet Ann, do you remember what we agreed with her?",
    "前回話した件、どうなった？",
    "지난번에 말했잖아",
    "¿Recuerdas qué decidimos?",
    "ты же помнишь, о чём мы договорились",
]
DOES_NOT_ASK = [
    "记得带伞",
    "明天记得提醒我带伞",
    "remember to buy milk",
    "Remind me tomorrow to call Ann",
    "覚えているように毎朝言って",
    "기억해 줘, 나는 채식해",
    "recuérdame mañana pagar el gas",
    "Запомни: я не ем мясо",
    'Translate into German: "what did we decide last week?"',
    "翻译成英文：“上次我们聊过这个”",
]


@pytest.mark.parametrize("message", ASKS)
def test_messages_that_point_back_ask_for_memory(message: str) -> None:
    assert judge_intent(message, None).verdict == "recall"


@pytest.mark.parametrize("message", DOES_NOT_ASK)
def test_orders_reminders_and_quotations_do_not(message: str) -> None:
    assert judge_intent(message, None).verdict == "none"


def test_a_verdict_says_what_decided() -> None:
    assert judge_intent("上次不是提过吗", None).evidence.startswith("pattern: 上次")
    assert "future" in judge_intent("see you next week", None).evidence


@pytest.mark.parametrize("message", ["", "  \n", "？", "😀", "\u0000", "\ud800 lone surrogate"])
def test_messages_without_words_are_no_request(message: str) -> None:
    verdict = judge_intent(message, None)
    assert verdict.verdict == "none" and 0.0 <= verdict.score <= 1.0


def test_a_very_long_message_is_read_at_both_ends() -> None:
    reading = read_message("Do you remember the venue? " + "x " * 500_000 + "what did we decide?")
    assert reading.recall and len(reading.text) <= LONGEST + 1


def test_the_vector_of_another_model_is_left_aside() -> None:
    message = "the other one, not this"
    assert judge_intent(message, np.ones(7, dtype=np.float32)).score == judge_intent(message, None).score


def test_both_chinese_scripts_and_widths_are_one() -> None:
    assert read_message("上次我們討論過這個嗎？").cues == read_message("上次我们讨论过这个吗?").cues


def test_quoted_words_are_not_the_writers() -> None:
    assert "past_time" not in read_message("explain “last week we talked”").cues
    assert "past_time" in read_message("last week we talked").cues


def test_every_language_has_words_for_nearly_every_cue() -> None:
    for language in languages():
        if language.script != "any":
            assert set(CUES) - set(language.cues) <= {"code"}, language.name


def test_a_language_is_a_table() -> None:
    table = "script = 'latin'\nwhole_words = true\nrecall = ['weißt du noch']\nnone = []\n[cues]\n"
    language = read_language("xx", tomllib.loads(table))
    assert language.recall is not None and language.recall.search(fold("Weißt du noch, wann?"))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("script = 'runes'\nwhole_words = true\nrecall = []\nnone = []\n[cues]\n", "runes"),
        ("script = 'latin'\nwhole_words = true\nrecall = []\nnone = []\n[cues]\nmoods = ['a']\n", "moods"),
        ("script = 'latin'\nwhole_words = true\nrecall = ['(']\nnone = []\n[cues]\n", "unterminated"),
        ("script = 'latin'\nwhole_words = true\nrecall = ['a\\S']\nnone = []\n[cues]\n", "folding"),
        ("script = 'latin'\n", "whole_words"),
    ],
)
def test_a_wrong_table_says_what_is_wrong(text: str, part: str) -> None:
    with pytest.raises(BadLanguage, match=part):
        read_language("xx", tomllib.loads(text))
