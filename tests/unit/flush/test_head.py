"""The flush's trained head: made from the data that stands beside it, and what the labelled chats are."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.flush.dialogues import FOLDER, read_dialogues
from search.flush.head import load_head
from search.flush.train import checksum


def test_the_head_was_trained_on_the_dialogues_and_cues_that_stand_beside_it() -> None:
    assert load_head().made_from["data"] == checksum(), "run: python -m search.flush.train MODELS_DIR"


def test_a_dialogue_is_in_one_fold_and_six_languages_are_measured() -> None:
    dev, *measured_on = (read_dialogues(FOLDER / f"{name}.txt") for name in ("dev", "held_out", "everyday"))
    held_out = [dialogue for dialogues in measured_on for dialogue in dialogues]
    measured = {one.language for one in held_out}
    assert measured == {"en", "es", "ja", "ko", "ru", "zh"} and measured < {one.language for one in dev}
    lines = [
        {
            turn.text
            for one in fold
            for turn, label in zip(one.turns, one.labels, strict=True)
            if label and label != "chat"
        }
        for fold in (dev, held_out)
    ]
    assert not lines[0] & lines[1] and len(dev) + len(held_out) >= 30 and sum(map(len, lines)) >= 300


def test_a_line_without_a_known_label_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("[en x 2026-01-01T00:00:00+00:00]\nnonsense: hello\n")
    with pytest.raises(ValueError, match=r"x\.txt:2"):
        read_dialogues(path)
