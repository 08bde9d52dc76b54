"""parse_query(): what a person typed, as keyword terms. Any text is allowed; no character of it reaches FTS5 raw.

Plain words are joined by OR. `"quoted words"` must stand together; `-word` must not occur.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from search.documents.folding import MARKS
from search.documents.terms import (
    CJK_RUN,
    RUN,
    WORD,
    compounds,
    exact_forms,
    fold,
    run_terms,
    stem,
    tokens,
    units,
)
from search.retrieve.stopwords import stop_words

MAX_CHARS = 2_000
"""Of the query, enough for any question; a pasted document is searched by its beginning."""
MAX_TERMS = 48

_PIECE = re.compile(r'(?P<minus>(?<!\S)-(?=[\w"]))?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_JOINED = re.compile(rf"(?<![^\W_])(?<![{MARKS}])(?>{WORD})(?:[-_./:@+#&\\\u2010-\u2013]++(?>{WORD}))+")
_ELIDED = re.compile("(?<![\\w'’])([^\\W\\d_])['’](?=\\w)|(?<=\\w)['’]([^\\W\\d_]{1,2})(?!\\w)")
"""The l of `l'eau`, the s of `user's`."""
_MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})\s?([月월])\s?(\d{1,2})(?=\s?[日号일])")
_GERSHAYIM = re.compile('(?<=[\u05d0-\u05ea])["“”](?=[\u05d0-\u05ea])')
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "＂": '"', "\x00": " "})


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: index terms that stand next to each other. `prefix` lets the last one go on."""

    parts: tuple[str, ...]
    prefix: bool = False

    def match(self) -> str:
        """As an FTS5 string: parts hold no quotation mark, so quoting is complete."""
        return '"' + " ".join(self.parts) + '"' + ("*" if self.prefix else "")


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """`terms` are alternatives, `required` must all occur, `excluded` must not. With `forms` a text that has the
    words' own marks ranks before one that has others, and another spelling of them is found (`Mueller`, `Müller`)."""

    terms: tuple[Term, ...]
    required: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()
    forms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms or self.required)


def parse_query(text: str) -> KeywordQuery:
    text = _GERSHAYIM.sub("", text[:MAX_CHARS].encode("utf-8", "ignore").decode()).translate(_QUOTES)
    plain: list[str] = []
    required: list[Term] = []
    excluded: list[Term] = []
    for piece in _PIECE.finditer(text):
        phrase = piece["phrase"]
        if piece["minus"]:
            excluded += _phrase(phrase if phrase is not None else piece["word"])
        elif phrase is not None:
            required += _phrase(phrase)
        else:
            plain.append(piece["word"])
    terms = _terms(" ".join(plain))
    if not terms and not required:
        # Nothing but exclusions cannot be meant: take them as words.
        return KeywordQuery(_terms(text), forms=_forms(text))
    return KeywordQuery(terms, tuple(required), tuple(excluded), _forms(" ".join(plain)))


def content_words(text: str) -> str:
    """The words of a query that are looked for, whole as they are read; of a run without spaces the parts that are."""
    words = tokens(text[:MAX_CHARS])
    stop = stop_words(text, words)
    kept = [part for word in words if word not in stop for part in _read_parts(word, stop)]
    return " ".join((kept or words)[:MAX_TERMS])


def _read_parts(word: str, stop: frozenset[str]) -> list[str]:
    if not RUN.match(word):
        return [word]
    signs = units(word)
    parts: list[str] = []
    going_on = False
    for first, second in pairwise(signs):
        wanted = first + second not in stop
        if wanted:
            if going_on:
                parts[-1] += second
            else:
                parts.append(first + second)
        going_on = wanted
    return parts or [word]


def _forms(text: str) -> tuple[Term, ...]:
    if text.isascii():
        return ()
    stop = stop_words(text, tokens(text))
    forms = (form for form in exact_forms(text) if fold(form) not in stop)
    return tuple(Term((form,)) for form in dict.fromkeys(forms))[:MAX_TERMS]


def _phrase(text: str) -> list[Term]:
    words = tokens(text)
    parts = [part for word in words for part in (run_terms(word) if RUN.match(word) else [stem(word)])]
    if not words or not RUN.match(words[-1]):
        return [Term(tuple(parts))] if parts else []
    # In a document the last run may go on: its last character alone would only match where it ends.
    return [Term(tuple(parts), prefix=True)] if parts[-1] == words[-1] else [Term(tuple(parts[:-1]))]


def _terms(text: str) -> tuple[Term, ...]:
    """Alternatives in order: identifiers whole, then every word and every character pair that is no stop word."""
    folded = fold(text)
    words = tokens(text)
    elided = {letter for match in _ELIDED.findall(folded) for letter in match}
    # The digits of a date say nothing each for itself.
    digits = {digit for day in _MONTH_DAY.finditer(folded) for digit in (day[1], day[3]) if len(digit) == 1}
    stop = stop_words(text, words) | elided | digits
    wanted: dict[Term, None] = {}
    for joined in _JOINED.finditer(folded):
        whole = _phrase(joined[0])
        if whole and len(whole[0].parts) > 1:
            wanted[whole[0]] = None
    for day in _MONTH_DAY.finditer(folded):
        wanted[Term((day[1], day[2], day[3]))] = None
    for joined_word in compounds(folded):
        wanted[Term((joined_word,))] = None
    kept = [word for word in words if word not in stop]
    for word in kept or words:
        for term in _word_terms(word, stop):
            wanted[term] = None
    return tuple(wanted)[:MAX_TERMS]


def _word_terms(word: str, stop: frozenset[str]) -> list[Term]:
    if not RUN.match(word):
        return [Term((stem(word),))]
    *pairs, last = run_terms(word)
    if not pairs:
        return [Term((last,), prefix=True)]
    if not CJK_RUN.match(word) and len(pairs) > 1:
        # Two letters of an alphabet say little, as `th` does: three in a row are looked for too.
        return [*(Term(pair) for pair in pairwise(pairs)), *(Term((pair,)) for pair in pairs)]
    return [Term((pair,)) for pair in [pair for pair in pairs if pair not in stop] or pairs]
