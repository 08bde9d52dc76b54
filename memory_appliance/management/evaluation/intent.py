"""`manage.py evaluate --intent PATH`: how often recall intent is judged right, with a confusion per language.

PATH is a file of JSON lines: `{"lang", "text", "label"}`, the label true where the message needs memory.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from search.evaluation.dataset import BadDataset
from search.recall.intent import judge_intent
from search.runtime.protocols import Embedder


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    language: str
    text: str
    recall: bool


@dataclass(slots=True)
class Confusion:
    """Right and wrong verdicts; "positive" means recall."""

    true_positive: int = 0
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0

    def add(self, *, expected: bool, judged: bool) -> None:
        if expected:
            self.true_positive, self.false_negative = self.true_positive + judged, self.false_negative + (not judged)
        else:
            self.false_positive, self.true_negative = self.false_positive + judged, self.true_negative + (not judged)

    @property
    def precision(self) -> float:
        return self.true_positive / max(1, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float:
        return self.true_positive / max(1, self.true_positive + self.false_negative)

    @property
    def f1(self) -> float:
        wrong = self.false_positive + self.false_negative
        return 2 * self.true_positive / max(1, 2 * self.true_positive + wrong)


@dataclass(slots=True)
class IntentResult:
    all: Confusion = field(default_factory=Confusion)
    languages: dict[str, Confusion] = field(default_factory=dict)
    judging_ms: list[float] = field(default_factory=list)
    """Per message, the embedding not counted."""

    def as_dict(self) -> dict[str, object]:
        groups = {"all": self.all, **self.languages}
        return {
            name: {
                "f1": round(group.f1, 4),
                "precision": round(group.precision, 4),
                "recall": round(group.recall, 4),
                "tp": group.true_positive,
                "fp": group.false_positive,
                "fn": group.false_negative,
                "tn": group.true_negative,
            }
            for name, group in groups.items()
        }


def load_messages(path: Path) -> list[LabelledMessage]:
    """Raises `BadDataset` with the line of what is wrong."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadDataset(f"{path} cannot be read: {error}", hint="Give a UTF-8 file of JSON lines.") from error
    return [_message(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _message(path: Path, number: int, line: str) -> LabelledMessage:
    try:
        row = json.loads(line)
        language, text, label = row["lang"], row["text"], row["label"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadDataset(f"{path}:{number} is not a labelled message: {error!r}") from error
    if not (isinstance(language, str) and isinstance(text, str) and isinstance(label, bool)):
        raise BadDataset(f"{path}:{number}: lang and text are strings, label is true or false")
    return LabelledMessage(language, text, label)


def judge_all(messages: list[LabelledMessage], embedder: Embedder | None) -> IntentResult:
    """Without an embedder the words alone are judged."""
    result = IntentResult()
    for message in messages:
        vector = None if embedder is None else embedder.embed_query(message.text, timeout=30)
        started = time.perf_counter()
        judged = judge_intent(message.text, vector).verdict == "recall"
        result.judging_ms.append((time.perf_counter() - started) * 1000)
        for group in (result.all, result.languages.setdefault(message.language, Confusion())):
            group.add(expected=message.recall, judged=judged)
    return result


def intent_table(result: IntentResult) -> Iterator[str]:
    """Lines of text."""
    yield f"{'':8}{'n':>5}{'F1':>8}{'precision':>11}{'recall':>8}{'tp':>6}{'fp':>5}{'fn':>5}{'tn':>6}"
    for name, group in {"all": result.all, **result.languages}.items():
        counts = (group.true_positive, group.false_positive, group.false_negative, group.true_negative)
        tp, fp, fn, tn = counts
        figures = f"{group.f1:>8.3f}{group.precision:>11.3f}{group.recall:>8.3f}"
        yield f"{name:8}{sum(counts):>5}{figures}{tp:>6}{fp:>5}{fn:>5}{tn:>6}"
    if result.judging_ms:
        yield f"median ms of a judgement, without its embedding: {median(result.judging_ms):.2f}"
