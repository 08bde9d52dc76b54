"""A flush picks what is worth a note from everyday chats, with the real model."""

from __future__ import annotations

import pytest

from memory_appliance.management.evaluation.dialogues import score_dialogues
from search.runtime.llama import LlamaEmbedder

pytestmark = pytest.mark.model

LEAST_PRECISION, LEAST_RECALL = 0.90, 0.85


def test_everyday_chats_in_six_languages(embedder: LlamaEmbedder) -> None:
    whole = next(score_dialogues(embedder, ("everyday",)))
    print(whole.line())
    assert whole.lasting >= 70
    assert whole.found / (whole.found + whole.wrong) >= LEAST_PRECISION
    assert whole.found / whole.lasting >= LEAST_RECALL
