"""expand(): other ways to ask the same, written by the generator, checked before they are used."""

from __future__ import annotations

import json
from collections.abc import Sequence

from search.documents.terms import CJK_RUN, tokens
from search.errors import GeneratorUnavailable
from search.runtime.cache import LruCache
from search.runtime.protocols import Generator, Message
from search.sentences import sentence
from search.variants import Variant

MAX_CHARS = 300
_MAX_TOKENS = 220
_LIMITS = {"lex": 2, "vec": 2, "hyde": 1}
_SCHEMA = {
    "type": "object",
    "properties": {
        "lex": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "vec": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "hyde": {"type": "array", "items": {"type": "string"}, "maxItems": 1},
    },
    "required": ["lex", "vec", "hyde"],
}
_TASK = (
    "You help a search engine over personal notes. For the question, answer with JSON only: "
    '"lex": up to two lists of other keywords for it, "vec": up to two rephrased questions, '
    '"hyde": one short sentence as it might stand in the note that answers. '
    "Write in the language of the question. Add no names, numbers or facts that the question does not hold."
)

_known: LruCache[tuple[str, str], tuple[Variant, ...]] = LruCache(2_000)


def expand(query: str, generator: Generator, *, timeout: float) -> tuple[Variant, ...]:
    """At most five variants; the same question is expanded once. Raises `GeneratorUnavailable`.

    What a model writes is not believed: lines in another script, with new numbers, or that only repeat the question
    are left out.
    """
    key = (generator.name, query)
    known = _known.get(key)
    if known is not None:
        return known
    messages = (Message("system", _TASK), Message("user", query))
    answer = generator.generate(messages, max_tokens=_MAX_TOKENS, timeout=timeout, json_schema=_SCHEMA)
    try:
        lines = json.loads(answer[answer.index("{") : answer.rindex("}") + 1])
    except ValueError:
        raise GeneratorUnavailable(
            sentence("the generator's expansion is not the JSON it was asked for"),
            hint=sentence("Choose a larger model, or none."),
        ) from None
    variants = _checked(query, lines if isinstance(lines, dict) else {})
    _known.put(key, variants)
    return variants


def _checked(query: str, lines: dict[str, object]) -> tuple[Variant, ...]:
    asked = tokens(query)
    wanted: dict[Variant, None] = {}
    for kind, limit in _LIMITS.items():
        given = lines.get(kind)
        texts = [text.strip() for text in given if isinstance(text, str)] if isinstance(given, list) else []
        for text in [text for text in texts if _usable(text, asked)][:limit]:
            wanted[Variant(kind, text)] = None  # type: ignore[arg-type]
    return tuple(wanted)


def _usable(text: str, asked: Sequence[str]) -> bool:
    written = tokens(text)
    if not written or len(text) > MAX_CHARS or "\n" in text or written == list(asked):
        return False
    new_numbers = {word for word in written if word.isdigit()} - set(asked)
    return not new_numbers and _is_cjk(written) == _is_cjk(asked)


def _is_cjk(words: Sequence[str]) -> bool:
    return any(CJK_RUN.match(word) for word in words)
