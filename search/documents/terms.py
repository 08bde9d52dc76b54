"""Text to keyword terms: the one normalisation that the keyword index and the queries share.

Words are folded (folding.py) and stemmed. A run of a script without spaces becomes its overlapping pairs of visible
characters plus the last one alone, so that words of any length are found: Han, kana, Hangul, Thai, Lao, Khmer, Burmese
and their like. No dictionary: a word is cut alike in a query and inside a sentence. FTS5 then only splits at spaces.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import regex
import Stemmer

from search.documents.folding import CJK, CJK_RUN, MARKS, SPACELESS, fold, light

__all__ = [
    "CJK_RUN", "RUN", "TERMS_VERSION", "WORD", "compounds", "exact_forms", "fold", "forms_text",
    "index_text", "pieces", "run_terms", "stem", "tokens", "units", "words_in",
]  # fmt: skip

TERMS_VERSION = 3
"""Stored with the index; a different number means the words must be written again."""

RUN = re.compile(f"[{CJK}]+|[{SPACELESS}]+")
"""Letters of a script without spaces that stand together; folded text."""
WORD = f"[^\\W_{CJK}{SPACELESS}]+(?:[{MARKS}]+[^\\W_{CJK}{SPACELESS}]*)*"
"""A word of any other script, with the marks that belong to its letters."""
# C++ and C# are no C; of longer names (`notepad++`, `50+`) the sign is an addition.
_SIGNED = r"[a-z](?:\+\+?(?![\w+])|\+\+(?=\d)|#(?![a-z_#]))"
_EMOJI = "[\u231a-\u23ff\u2600-\u27bf\u2b05-\u2b55\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]"
"""Each is a term; what stands together, such as the parts of a flag, is found together."""
_TOKEN = re.compile(f"[{CJK}]+|[{SPACELESS}]+|{_SIGNED}|{WORD}|{_EMOJI}")
_SIGN = re.compile(r"[a-z0-9][+#]")
_ASCII_RUN = re.compile(r"[a-z0-9]+")
_ASCII_WORD = re.compile(f"{_SIGNED}|[a-z0-9]+")
_SIGNED_WORD = re.compile(r"(?<![^\W_])(?:[a-z0-9]{2,20}(?:\+\+?(?![\w+])|#(?![a-z_#])))")
_DOTTED = re.compile(r"(?:(?<=\s)|^)\.([a-z]{2,20})(?![\w.])")
_JOINTS = "\\-\u2010-\u2013\u2212\u05be'’‘&"
_PART = f"(?:[^\\W_{CJK}{SPACELESS}]|[{MARKS}]){{1,24}}"
_COMPOUND = re.compile(f"(?<![\\w{_JOINTS}]){_PART}(?:[{_JOINTS}]{_PART}){{1,3}}(?![\\w{_JOINTS}])")
_INITIALS = re.compile(r"(?<![\w.])(?:[^\W\d_]\.){1,5}[^\W\d_](?!\w)|(?<![\w.])[a-z]{2,12}\.(?:js|net|io|ai)(?!\w)")
_JOINT = re.compile(f"[{_JOINTS}.]")
_DIGITS = re.compile(r"(?<![\w.,])\+?\d{1,8}(?:[ \-/]\(?\d{1,8}\)?){1,5}(?![\w.,]\d)")
_LEAST_DIGITS = 9
"""A day has eight; telephone numbers, ISBNs and numbers of accounts have more."""
_SUFFIX = re.compile("['’](?:s|t|d|ll|re|ve|m)$")
_OTHER_LETTER = re.compile(f"[^\\W\x00-\x7f{CJK}{SPACELESS}]|[{MARKS}]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LONGEST_PART = 12
_STEM_CACHE_WORDS = 200_000
_CLUSTERS = regex.compile(r"\X")


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


def stem(word: str) -> str:
    """The stem of one folded word."""
    return _thread.stems[word]


def units(run: str) -> list[str]:
    """The visible characters of a run: `ที่นี่` is `ที่`, `นี่`."""
    return list(run) if CJK_RUN.match(run) else _CLUSTERS.findall(run)


def run_terms(run: str) -> list[str]:
    """`网关重启` → `网关 关重 重启 启`: every pair of visible characters, then the last one alone."""
    if CJK_RUN.match(run):
        return [run[at : at + 2] for at in range(len(run))]
    found = units(run)
    return [a + b for a, b in zip(found, [*found[1:], ""], strict=True)]


def index_text(text: str) -> str:
    """What is written into the keyword index for `text`: terms separated by single spaces."""
    folded = fold(text)
    stems = _thread.stems
    if folded.isascii():
        signed = ("+" in folded or "#" in folded) and _SIGN.search(folded)
        words = _ASCII_WORD if signed else _ASCII_RUN
        terms = [stems[word] for word in words.findall(folded)]
        return " ".join(terms + compounds(folded))
    terms = []
    for token in _TOKEN.findall(folded):
        if RUN.match(token):
            terms.extend(run_terms(token))
        else:
            terms.append(stems[token])
    return " ".join(terms + compounds(folded))


def compounds(folded: str) -> list[str]:
    """`wi-fi` is also one word, `wifi`; `o'neil`, `r&d`, `p.m.`, `node.js`, `.net` and `notepad++` likewise.

    They stand at the end of the text, so that quoted phrases still stand together.
    """
    numbers = _numbers(folded)
    # Most of a text is plain words, which need no look.
    folded = " ".join([piece for piece in folded.split() if not piece.isalnum()])
    chains = (_SUFFIX.sub("", chain) for chain in _COMPOUND.findall(folded))
    found = [joined for chain in chains if (joined := _joined(chain))]
    if "." in folded:
        found += [_JOINT.sub("", match) for match in _INITIALS.findall(folded)]
        found += [f"dot{name}" for name in _DOTTED.findall(folded)]
    if "+" in folded or "#" in folded:
        numbers += _SIGNED_WORD.findall(folded)
    return [*(_thread.stems[word] for word in found), *numbers]


def _numbers(folded: str) -> list[str]:
    """`+49 170 123456` is also `49170123456` and, as people write it without the first group, `170123456`."""
    found = []
    for match in _DIGITS.finditer(folded):
        groups = re.findall(r"\d+", match[0])
        for digits in ("".join(groups), "".join(groups[1:])):
            if len(digits) >= _LEAST_DIGITS:
                found.append(digits)
    return found


def _joined(chain: str) -> str:
    """Empty for what is one word, or rather a date, a range or a sentence."""
    parts = _JOINT.split(chain)
    if len(parts) == 1 or all(part.isdecimal() for part in parts) or max(map(len, parts)) > _LONGEST_PART:
        return ""
    return "".join(parts)


def tokens(text: str) -> list[str]:
    """The folded runs of `text`, unstemmed: whole runs of scripts without spaces and words, in order."""
    return _TOKEN.findall(fold(text))


def words_in(folded: str) -> Iterator[re.Match[str]]:
    """The same runs of a text that is folded already, with their places."""
    return _TOKEN.finditer(folded)


def pieces(text: str) -> list[str]:
    """Words; of scripts without spaces the visible characters."""
    return [piece for word in tokens(text) for piece in (units(word) if RUN.match(word) else [word])]


def forms_text(text: str) -> str:
    """What is written beside the terms: the words that folding changed, as they stand in `text`."""
    return "" if text.isascii() or not _OTHER_LETTER.search(text) else " ".join(exact_forms(text))


def exact_forms(text: str) -> Iterator[str]:
    """Words with their marks, and other spellings: `ae` for `ä`, hamza on any seat."""
    for word in _TOKEN.findall(light(text)):
        if word.isascii() or word.isdecimal() or RUN.match(word):
            continue
        if fold(word) != word:
            yield word
            spelt = word.translate(_OTHERWISE)
            if spelt != word:
                yield _thread.stems[fold(spelt)]


_OTHERWISE = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "ؤ": "ء", "ئ": "ء"})
