"""is_grounded(): whether a written summary says only what the sources say.

Checked without a model: every number, date and name of the summary occurs in the sources, and most of its other words.
A summary that fails is thrown away, however well it reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.documents.terms import RUN, fold, index_text
from search.retrieve.query import parse_query

OVERLAP = 0.6
"""Least share of the summary's content words that must occur in the sources."""

_NUMBER = re.compile(r"\d+(?:[.,:/×x-]\d+)*")
_QUOTED = re.compile(r"[\"“„「『«`]([^\"”“」』»`]{1,120})[\"”“」』»`]")
_NAME = re.compile(r"(?<![.!?。！？:：\n]\s)(?<!^)\b[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]+")
_IDENTIFIER = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])[\w-]+\b|\b\w+(?:[_./@]\w+)+\b")

EMPTY = re.compile(
    r"\W*(?:none|no[_ ]reply|nothing(?: useful| relevant| found)?|no relevant (?:memory|memories|notes)|timeout"
    r"|n/?a|null|nil|undefined|\[\]|\{\}|没有|沒有|无|無|なし|없음|ninguno|нет)?\W*",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """`NONE`, `n/a`, `[]` and their like: the model's way of saying that it found nothing."""
    return EMPTY.fullmatch(text.strip()) is not None


def is_grounded(summary: str, sources: Sequence[str]) -> bool:
    """Whether the sources carry all hard facts of `summary` and enough of its words."""
    known = fold("\n".join(sources))
    return not _unknown_facts(summary, known) and _overlap(summary, known) >= OVERLAP


def _unknown_facts(summary: str, known: str) -> list[str]:
    """Numbers, identifiers, quoted words and names that no source has."""
    loose = re.sub(r"\s+", " ", known)
    numbers = set(_NUMBER.findall(known))
    digits = {digit for number in numbers for digit in (number, *re.split(r"[.,:/×x-]", number))}
    missing = [number for number in _NUMBER.findall(fold(summary)) if number not in digits]
    for pattern in (_QUOTED, _IDENTIFIER, _NAME):
        for match in pattern.finditer(summary):
            said = re.sub(r"\s+", " ", fold(match[match.lastindex or 0]))
            if said not in loose:
                missing.append(said)
    return missing


def _overlap(summary: str, known: str) -> float:
    """Share of the summary's content terms that the sources have."""
    wanted = {part for term in parse_query(summary.replace('"', " ")).terms for part in term.parts}
    if not wanted:
        return 0.0
    terms = set(index_text(known).split())
    return sum(term in terms or (bool(RUN.match(term)) and term in known) for term in wanted) / len(wanted)
