"""fold(): one form for what readers take for the same letters, whatever the script, and light() with its marks left.

Both are the same for index and query. What folding makes equal is told apart again by `forms` (terms.py).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

CJK = "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CJK_RUN = re.compile(f"[{CJK}]+")

# Scripts in which people write no spaces between words: Thai, Lao, Myanmar with its extensions, Khmer, Tai Le, New Tai
# Lue, Buginese, Tai Tham, Balinese, Batak, Rejang, Javanese, Cham, Tai Viet, Ahom, Kawi.
_SPACELESS_BLOCKS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A00, 0x1AAF), (0x1B00, 0x1B7F)),
    *((0x1BC0, 0x1BFF), (0xA930, 0xA95F), (0xA980, 0xA9DF), (0xA9E0, 0xA9FF), (0xAA00, 0xAA7F), (0xAA80, 0xAADF)),
    *((0x11700, 0x1174F), (0x11F00, 0x11F5F)),
)
_INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
) | frozenset(range(0xE0000, 0xE1000))
"""Without a shape of their own and yet not of category Cf: joiners, fillers, variation selectors."""
_TATWEEL = 0x0640
_NUKTAS = frozenset({0x093C, 0x09BC, 0x0A3C, 0x0ABC, 0x0B3C, 0x0C3C, 0x0CBC, 0x110BA, 0x111CA, 0x11236})
_STROKE = re.compile(r"LATIN SMALL LETTER (?:REVERSED )?([A-Z]) WITH ")
_LOST_MARKS = ("LATIN", "GREEK", "HEBREW", "ARABIC", "SYRIAC")
"""Scripts that are read without their marks: accents, points, vowel signs, hamza."""

_LETTERS = str.maketrans(
    {
        **{"æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ŋ": "n", "ĸ": "k", "ß": "ss", "ς": "σ"},
        # ʼ and its likes are letters to Unicode and apostrophes to those who type them.
        **dict.fromkeys("ʹʻʼʽʾʿˈ", "'"),
        **{"ё": "е", "ѐ": "е", "ѝ": "и", "ґ": "г"},
        **dict.fromkeys("یىېۍ", "ي"),
        **dict.fromkeys("ٱٲٳٵ", "ا"),
        **dict.fromkeys("ةہھەۃ", "ه"),
        **dict.fromkeys("کڪ", "ك"),
        **{"װ": "וו", "ױ": "וי", "ײ": "יי"},
        # Written as one letter or as a dead consonant and a joiner.
        **{"ൺ": "ണ്", "ൻ": "ന്", "ർ": "ര്", "ൽ": "ല്", "ൾ": "ള്", "ൿ": "ക്", "ৎ": "ত্", "ँ": "ं"},
    }
)
_GERSHAYIM = re.compile('(?<=[\u05d0-\u05ea])["״”“](?=[\u05d0-\u05ea])')
_PERSIAN_JOINT = re.compile("(?<=[\u0620-\u06ff])\u200c(?=[\u0620-\u06ff])")
# In front of a consonant of its row a dead nasal is also written as a dot above.
_NASAL = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])")
_TONE_LAST = re.compile("([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])")
_TWO_AS_ONE = (("\u0e40\u0e40", "\u0e41"), ("\u0ec0\u0ec0", "\u0ec1"), ("\u17d2\u178a", "\u17d2\u178f"))
"""Pairs that look like the one letter: Thai and Lao E E for AE, the Khmer subscript DA for TA."""


def fold(text: str) -> str:
    """One form for width, case, accents and points, digits, joiners and Chinese script variants.

    Line breaks stay where they are.
    """
    if text.isascii():
        return text.lower()
    text = _composed(text).casefold().translate(_FOLDS)
    if "\u094d" in text:
        text = _NASAL.sub("ं", text)
    return text


def light(text: str) -> str:
    """Lower case and one encoding, but with all marks: what tells `schön` from `schon`, `مُدَرِّس` from `مدرس`."""
    return unicodedata.normalize("NFC", _composed(text).lower().translate(_UNSEEN))


def _composed(text: str) -> str:
    if "\u200c" in text:
        text = _PERSIAN_JOINT.sub("\u2010", text)
    if "\u00b4" in text:
        text = text.replace("\u00b4", "'")
    text = _GERSHAYIM.sub("", unicodedata.normalize("NFKC", text))
    if "\u0e4d" in text or "\u0ecd" in text:
        text = _TONE_LAST.sub(r"\2\1", text)
    for two, one in _TWO_AS_ONE:
        text = text.replace(two, one)
    return text


class _Folds(dict[int, str | int | None]):
    """Code point → what it is folded to, worked out when it is first met."""

    def __missing__(self, code: int) -> str | int | None:
        found = self[code] = _folded(code)
        return found


class _Unseen(dict[int, str | int | None]):
    def __missing__(self, code: int) -> str | int | None:
        found = self[code] = None if _unseen(code) else code
        return found


def _unseen(code: int) -> bool:
    return code in _INVISIBLE or code == _TATWEEL or unicodedata.category(chr(code)) in ("Cf", "Me")


def _folded(code: int) -> str | int | None:
    char = chr(code)
    if code < 0x80:
        return code
    if code in _LETTERS:
        return _LETTERS[code]
    if _unseen(code) or is_lost_mark(char):
        return None
    if unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    if CJK_RUN.match(char):
        return _traditional_to_simplified().get(code, code)
    bare = "".join(part for part in unicodedata.normalize("NFD", char) if not is_lost_mark(part))
    if bare != char and _reads_without_marks(char):
        return bare.translate(_FOLDS)
    stroke = _STROKE.match(unicodedata.name(char, ""))
    return stroke[1].lower() if stroke else code


def is_lost_mark(char: str) -> bool:
    """Whether folding drops this combining mark; those of Cyrillic letters are part of them when it is called."""
    if unicodedata.category(char) != "Mn":
        return False
    code = ord(char)
    general = 0x0300 <= code <= 0x036F or 0x1AB0 <= code <= 0x1AFF or 0x1DC0 <= code <= 0x1DFF or code in _NUKTAS
    return general or unicodedata.name(char, "").startswith(_LOST_MARKS)


def _reads_without_marks(char: str) -> bool:
    if unicodedata.name(char, "").startswith(_LOST_MARKS):
        return True
    return any(ord(part) in _NUKTAS for part in unicodedata.normalize("NFD", char))


_FOLDS = _Folds()
_UNSEEN = _Unseen()


@cache
def _traditional_to_simplified() -> dict[int, int]:
    """OpenCC's character table; loaded only when the first Chinese text is seen."""
    import opencc

    block = "".join(map(chr, (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))))
    simplified = opencc.OpenCC("t2s").convert("\n".join(block)).split("\n")
    return {ord(a): ord(b) for a, b in zip(block, simplified, strict=True) if a != b and len(b) == 1}


def _as_class(codes: list[int]) -> str:
    """Sorted code points as the ranges of a character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def _of_category(codes: range | list[int], kinds: str) -> list[int]:
    return [code for code in codes if unicodedata.category(chr(code))[0] in kinds]


_spaceless = _of_category([code for first, last in _SPACELESS_BLOCKS for code in range(first, last + 1)], "LM")
SPACELESS = _as_class(_spaceless)
SPACELESS_MARKS = _as_class(_of_category(_spaceless, "M"))
MARKS = _as_class(sorted(set(_of_category(range(0x0300, 0x20000), "M")) - set(_spaceless) - set(range(0x302A, 0x309B))))
"""Combining marks of all other scripts, for a character class: they belong to the words they stand in."""
