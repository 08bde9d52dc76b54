"""Recall intent with the real model: the figures on sentences that no training saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_appliance.management.evaluation.intent import LabelledMessage, judge_all, load_messages
from search.recall.intent.sentences import read_sentences
from search.runtime.llama import LlamaEmbedder

pytestmark = pytest.mark.model

UNREAD = Path(__file__).resolve().parents[3] / "search/recall/intent/sentences/held_out.jsonl"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "intent.jsonl"


def test_our_own_held_out_sentences(embedder: LlamaEmbedder) -> None:
    held_out = [s for s in read_sentences() if s.held_out]
    result = judge_all([LabelledMessage(s.language, s.text, s.recall) for s in held_out], embedder)
    assert result.all.f1 >= 0.84
    # 120 of the 529 are pairs that differ in whose habit is meant; without them it was .836, see docs/intent.md.
    assert min(group.f1 for group in result.languages.values()) >= 0.78


def test_messages_whose_errors_were_never_read(embedder: LlamaEmbedder) -> None:
    result = judge_all(load_messages(UNREAD), embedder)
    assert result.all.f1 >= 0.93
    assert min(group.f1 for group in result.languages.values()) >= 0.86


def test_the_messages_beside_the_repository(embedder: LlamaEmbedder) -> None:
    if not SHARED.is_file():
        pytest.skip("../shared/data/intent.jsonl is not beside this repository")
    result = judge_all(load_messages(SHARED), embedder)
    assert result.all.f1 >= 0.93
    assert min(group.f1 for group in result.languages.values()) >= 0.85
