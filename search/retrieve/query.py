"""parse_query(): what a person typed, as keyword terms. Any text is allowed; no character of it reaches FTS5 raw.

Plain words are joined by OR. `"quoted words"` must stand together; `-word` must not occur.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from search.documents.terms import CJK_RUN, cjk_terms, compounds, fold, stem, tokens

MAX_CHARS = 2_000
"""Of the query, enough for any question; a pasted document is searched by its beginning."""
MAX_TERMS = 48

_PIECE = re.compile(r'(?P<minus>(?<!\S)-(?=[\w"]))?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_JOINED = re.compile(r"[^\W_]+(?:[-_./:@+#\\]+[^\W_]+)+")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "＂": '"', "\x00": " "})
_LATIN_LISTS = ("en", "es", "fr", "de", "it", "pt", "nl")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: index terms that stand next to each other. `prefix` lets the last one go on."""

    parts: tuple[str, ...]
    prefix: bool = False

    def match(self) -> str:
        """As an FTS5 string: parts hold letters and digits only, so quoting is complete."""
        return '"' + " ".join(self.parts) + '"' + ("*" if self.prefix else "")


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """`terms` are alternatives, `required` must all occur, `excluded` must not."""

    terms: tuple[Term, ...]
    required: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms or self.required)


def parse_query(text: str) -> KeywordQuery:
    text = text[:MAX_CHARS].encode("utf-8", "ignore").decode().translate(_QUOTES)
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
        return KeywordQuery(_terms(text))
    return KeywordQuery(terms, tuple(required), tuple(excluded))


def _phrase(text: str) -> list[Term]:
    words = tokens(text)
    parts = [part for word in words for part in (cjk_terms(word) if CJK_RUN.match(word) else [stem(word)])]
    if not words or not CJK_RUN.match(words[-1]):
        return [Term(tuple(parts))] if parts else []
    # In a document the last run may go on: its last character alone would only match where it ends.
    return [Term(tuple(parts), prefix=True)] if len(words[-1]) == 1 else [Term(tuple(parts[:-1]))]


def _terms(text: str) -> tuple[Term, ...]:
    """Alternatives in order: identifiers whole, then every word and every character pair that is no stop word."""
    folded = fold(text)
    words = tokens(text)
    stop = _stop_words(tuple(word for word in words if not CJK_RUN.match(word)))
    wanted: dict[Term, None] = {}
    for joined in _JOINED.finditer(folded):
        whole = _phrase(joined[0])
        if whole and len(whole[0].parts) > 1:
            wanted[whole[0]] = None
    for joined_word in compounds(folded):
        wanted[Term((joined_word,))] = None
    kept = [word for word in words if word not in stop and not (len(word) == 1 and word.isalpha() and word.isascii())]
    for word in kept or words:
        for term in _word_terms(word, stop):
            wanted[term] = None
    return tuple(wanted)[:MAX_TERMS]


def _word_terms(word: str, stop: frozenset[str]) -> list[Term]:
    if not CJK_RUN.match(word):
        return [Term((stem(word),))]
    if len(word) == 1:
        return [Term((word,), prefix=True)]
    pairs = cjk_terms(word)[:-1]
    return [Term((pair,)) for pair in [pair for pair in pairs if pair not in stop] or pairs]


@cache
def _latin_lists() -> dict[str, frozenset[str]]:
    from whoosh.lang.stopwords import stoplists

    return {language: frozenset(map(fold, stoplists[language])) for language in (*_LATIN_LISTS, "ru")}


@cache
def _cjk_stop_words() -> frozenset[str]:
    import stopwordsiso

    return frozenset(fold(word) for word in stopwordsiso.stopwords(["zh", "ja", "ko"]) if len(word) <= 2)


def _stop_words(words: tuple[str, ...]) -> frozenset[str]:
    """The list of the language these words are most likely in, so that a word of one language is not lost to the
    function word of another (English "son", French "son")."""
    lists = _latin_lists()
    best = max(_LATIN_LISTS, key=lambda language: sum(word in lists[language] for word in words))
    return lists[best] | lists["ru"] | _cjk_stop_words()
