"""stop_words(): the function words of a query, by the list of its own language alone.

A word of one language is often the function word of another (English and French "son", English "die" and "most", the
numbers and letters that Chinese lists hold). So the language is told first, from all words of the query; where it
cannot be told, only what is a stop word in every language that it may be in is one. Numbers never are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from search.documents.terms import CJK_RUN, fold, tokens

_LISTED = ("en", "es", "fr", "de", "it", "pt", "nl", "da", "no", "sv", "fi", "hu", "tr")
_RUSSIAN = "ru"
_EVIDENCE_ONLY = ("pl", "cs", "sk", "hr", "sl", "ro", "id", "vi", "uk", "bg")
"""Languages whose lists here are too long to stop a word by, but tell that a query is in none of the others."""
_UNMISTAKABLE = frozenset(
    {"the", "my", "of", "this", "that", "with", "from", "your", "our", "and", "for", "are", "were"}
    | {"who", "whose", "you", "they", "their", "does", "did", "have", "what", "when", "where", "which", "how", "why"}
)
"""English words of which one is enough."""
_NOT_RUSSIAN = re.compile("[іїєўјљњћђџѓќ]")
_KANA = re.compile("[\u3040-\u30ff]")
_ALL_CAPITALS = re.compile(r"(?<![\w'’])(?:[A-Z]{2,}|(?<=\S\s)(?!I\b)[A-Z])(?![\w'’])")


def stop_words(text: str, words: Sequence[str]) -> frozenset[str]:
    """What not to look for among the folded `words` of `text`, and among the character pairs of its CJK runs."""
    spaced = frozenset(word for word in words if not CJK_RUN.match(word))
    stopped = _spaced(spaced) - _capitals(text)
    return stopped | _cjk(any(_KANA.search(word) for word in words))


def _spaced(words: frozenset[str]) -> frozenset[str]:
    lists = _lists()
    shared = {language: words & listed for language, listed in lists.items()}
    most = max(map(len, shared.values()))
    if not most:
        return frozenset()
    likely = [language for language, found in shared.items() if len(found) == most]
    if most == 1 and not (words & _UNMISTAKABLE) and _RUSSIAN not in likely:
        # One word of a language is no sign of it: `die cast`, `son birthday`, `most Kraków`.
        return frozenset()
    if any(_NOT_RUSSIAN.search(word) for word in words):
        likely = [language for language in likely if language != _RUSSIAN] or ["uk"]
    if any(language in _EVIDENCE_ONLY for language in likely) and len(likely) == 1:
        return frozenset()
    return frozenset.intersection(*(shared[language] for language in likely))


def _capitals(text: str) -> frozenset[str]:
    """`IT`, `US`, `WHO`, and the C of `vitamin C`, where not everything is in capitals."""
    if text.upper() == text:
        return frozenset()
    return frozenset(fold(word) for word in _ALL_CAPITALS.findall(text))


@cache
def _lists() -> dict[str, frozenset[str]]:
    import stopwordsiso
    from whoosh.lang.stopwords import stoplists

    lists = {language: stoplists[language] for language in (*_LISTED, _RUSSIAN)}
    lists |= {language: stopwordsiso.stopwords(language) for language in _EVIDENCE_ONLY}
    # A list's `don't` or `d'un` is met in its parts.
    return {
        language: frozenset(part for word in listed for part in tokens(word) if not part.isdecimal())
        for language, listed in lists.items()
    }


@cache
def _cjk(japanese: bool) -> frozenset[str]:
    """Pairs and single characters; without kana a query is taken for Chinese, Hangul stands in one list only."""
    import stopwordsiso

    listed = stopwordsiso.stopwords(["ja" if japanese else "zh", "ko"])
    return frozenset(folded for word in listed if len(folded := fold(word)) <= 2 and CJK_RUN.fullmatch(folded))
