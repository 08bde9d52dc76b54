"""Text to keyword terms: the one normalisation that the keyword index and the queries share.

Words are folded (NFKC, case, accents, ё) and stemmed; a run of Han, kana or Hangul becomes its overlapping character
pairs plus its last character, so that words of any length are found. FTS5 then only splits at spaces.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache

import Stemmer

TERMS_VERSION = 1
"""Stored with the index; a different number means the words must be written again."""

_CJK = "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CJK_RUN = re.compile(f"[{_CJK}]+")
_TOKEN = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_ACCENTED_LATIN = re.compile("([A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")
_COMPOUND = re.compile(r"(?<![\w-])([^\W\d_]{1,12})-([^\W\d_]{1,12})(?![\w-])")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_STEM_CACHE_WORDS = 200_000


class _Stems(dict[str, str]):
    """Word → stem, filled on first use. Bounded: a long-lived process must not keep every word it ever saw."""

    def __init__(self) -> None:
        super().__init__()
        self._english = Stemmer.Stemmer("english", 0)
        self._russian = Stemmer.Stemmer("russian", 0)

    def __missing__(self, word: str) -> str:
        if len(self) >= _STEM_CACHE_WORDS:
            self.clear()
        stem = word
        # Identifiers and numbers are not inflected; very long runs are not words.
        if word.isalpha() and len(word) <= 40:
            stemmer = self._russian if _CYRILLIC.search(word) else self._english
            stem = str(stemmer.stemWord(word))
        self[word] = stem
        return stem


class _PerThread(threading.local):
    """A Snowball stemmer keeps state between calls and must not be shared by threads."""

    def __init__(self) -> None:
        self.stems = _Stems()


_thread = _PerThread()


@cache
def _traditional_to_simplified() -> dict[int, int]:
    """OpenCC's character table; loaded only when the first Chinese text is seen."""
    import opencc

    block = "".join(map(chr, (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))))
    simplified = opencc.OpenCC("t2s").convert("\n".join(block)).split("\n")
    return {ord(a): ord(b) for a, b in zip(block, simplified, strict=True) if a != b and len(b) == 1}


def fold(text: str) -> str:
    """One form for width, case, accents and Chinese script variants. Line breaks stay where they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).lower()
    decomposed = _ACCENTED_LATIN.sub(r"\1", unicodedata.normalize("NFD", text))
    text = unicodedata.normalize("NFC", decomposed).replace("ё", "е")
    return text.translate(_traditional_to_simplified()) if CJK_RUN.search(text) else text


def stem(word: str) -> str:
    """The stem of one folded word."""
    return _thread.stems[word]


def cjk_terms(run: str) -> list[str]:
    """`网关重启` → `网关 关重 重启 启`: every pair, then the last character alone."""
    return [run[i : i + 2] for i in range(len(run))]


def index_text(text: str) -> str:
    """What is written into the keyword index for `text`: terms separated by single spaces."""
    folded = fold(text)
    stems = _thread.stems
    if folded.isascii():
        terms = [stems[word] for word in _ASCII_WORD.findall(folded)]
        return " ".join(terms + compounds(folded))
    terms = []
    for token in _TOKEN.findall(folded):
        if CJK_RUN.match(token):
            terms.extend(cjk_terms(token))
        else:
            terms.append(stems[token])
    return " ".join(terms + compounds(folded))


def compounds(folded: str) -> list[str]:
    """`wi-fi` is also one word, `wifi`. At the end of the text, so that quoted phrases still stand together."""
    return [_thread.stems[a + b] for a, b in _COMPOUND.findall(folded)] if "-" in folded else []


def tokens(text: str) -> list[str]:
    """The folded runs of `text`, unstemmed: whole CJK runs and words, in order."""
    return _TOKEN.findall(fold(text))
