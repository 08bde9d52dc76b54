"""The committed weights belong to the committed data, and hold their figures on what they never saw."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from search.recall.intent import judge_intent
from search.recall.intent.head import WEIGHTS, load_head
from search.recall.intent.sentences import Sentence, read_sentences
from search.recall.intent.train import checksum


def f1_without_vectors(sentences: list[Sentence]) -> float:
    judged = Counter((s.recall, judge_intent(s.text, None).verdict == "recall") for s in sentences)
    right = judged[True, True]
    return 2 * right / (2 * right + judged[True, False] + judged[False, True])


def test_weights_were_made_from_these_sentences_and_patterns() -> None:
    made_from = load_head().made_from
    assert made_from["data"] == checksum()
    assert made_from["sentences"] == sum(not sentence.held_out for sentence in read_sentences())


def test_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 2_500_000  # every training sentence as 384 bytes


def test_held_out_sentences_keep_their_figure_without_a_model() -> None:
    assert f1_without_vectors([s for s in read_sentences() if s.held_out]) >= 0.78


def test_every_language_has_several_hundred_sentences_of_both_kinds() -> None:
    counts = Counter((sentence.language, sentence.recall) for sentence in read_sentences())
    assert set(counts) == {
        (language, kind) for language in ("en", "es", "ja", "ko", "ru", "zh") for kind in (True, False)
    }
    assert min(counts.values()) >= 250


def test_a_judgement_takes_no_five_milliseconds() -> None:
    load_head()
    took = []
    for sentence in read_sentences()[::40]:
        started = time.thread_time()
        judge_intent(sentence.text, load_head().mean)
        took.append(time.thread_time() - started)
    assert sorted(took)[len(took) // 2] <= 0.005


@pytest.mark.parametrize("text", ["a sentence first\n", "[? kind]\nx\n", "[+ kind\nx\n"])
def test_a_wrong_sentence_file_names_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "en.txt").write_text(text)
    with pytest.raises(ValueError, match=r"en\.txt:1"):
        read_sentences(tmp_path)
