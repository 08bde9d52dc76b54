"""Typed queries: a plain line, or lines that say themselves which leg they are for.

`lex: words` goes to the keyword leg, `vec: a question` and `hyde: a passage that would answer` to the vector leg;
one `intent:` line says what is meant and is only read by the reranker. As in QMD's query documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from search.errors import BadQuery
from search.sentences import sentence

VariantKind = Literal["lex", "vec", "hyde"]
MAX_VARIANTS = 8

_LINE = re.compile(r"\A\s*(lex|vec|hyde|intent|expand)\s*:(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way to ask the same."""

    kind: VariantKind
    text: str


@dataclass(frozen=True, slots=True)
class VariantHits:
    """Chunks that a variant of the query found, best first."""

    variant: Variant
    chunk_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TypedQuery:
    """`text` is what is asked; `variants` are given by the caller, and then none are made up."""

    text: str
    variants: tuple[Variant, ...] = ()
    intent: str = ""


def parse_typed(query: str) -> TypedQuery:
    """Read a query of mode `query`. Raises `BadQuery`, naming the line, for a mixture that means nothing.

    A text without any typed line is one plain query, however many lines it has. The first typed line is what the
    query is called in answers.
    """
    lines = [(number, line) for number, line in enumerate(query.split("\n"), 1) if line.strip()]
    typed = [(number, _LINE.fullmatch(line)) for number, line in lines]
    if not any(match for _, match in typed):
        return TypedQuery(query.strip())
    variants: list[Variant] = []
    intent = plain = ""
    for number, match in typed:
        if match is None:
            raise BadQuery(
                sentence("line {number} has no type beside typed lines", number=number),
                hint=sentence("Begin every line with lex:, vec:, hyde: or intent:, or ask one plain question."),
            )
        kind, text = match[1].lower(), match[2].strip()
        if not text:
            raise BadQuery(
                sentence("line {number} is empty after {kind}:", number=number, kind=kind),
                hint=sentence("Write the words to look for, or leave it out."),
            )
        if kind == "intent":
            if intent:
                raise BadQuery(
                    sentence("line {number} is a second intent:", number=number),
                    hint=sentence("Give one intent: line at most."),
                )
            intent = text
        elif kind == "expand":
            plain = text
        else:
            variants.append(Variant(kind, text))  # type: ignore[arg-type]
    if plain and variants:
        raise BadQuery(
            sentence("expand: stands alone"), hint=sentence("Give expand: with one question, or typed lines, not both.")
        )
    if not plain and not variants:
        raise BadQuery(sentence("intent: cannot stand alone"), hint=sentence("Add a lex:, vec: or hyde: line."))
    if len(variants) > MAX_VARIANTS:
        raise BadQuery(
            sentence("{count} typed lines are too many", count=len(variants)),
            hint=sentence("Give {max_variants} at most.", max_variants=MAX_VARIANTS),
        )
    return TypedQuery(plain or variants[0].text, tuple(variants), intent)
