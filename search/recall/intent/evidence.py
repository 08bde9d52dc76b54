"""cue_words(): the words of a message that hint at something, by what they hint at: for whoever asks why."""

from __future__ import annotations

from dataclasses import dataclass

from search.recall.intent.language import Language, languages
from search.recall.intent.reading import read_message

MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class CueWords:
    """`cue` is one of language.CUES; `words` as they were read: folded, a few of them."""

    cue: str
    words: tuple[str, ...]


def cue_words(message: str) -> tuple[CueWords, ...]:
    """Cues in the order of their names, as the verdict's evidence names them."""
    reading = read_message(message)
    spoken = [language for language in languages() if language.reads(reading.scripts)]
    return tuple(CueWords(cue, _words(reading.text, spoken, cue)) for cue in sorted(reading.cues))


def _words(text: str, spoken: list[Language], cue: str) -> tuple[str, ...]:
    patterns = [language.cues[cue] for language in spoken if cue in language.cues]
    found = (match[0].strip() for pattern in patterns for match in pattern.finditer(text))
    return tuple(dict.fromkeys(word for word in found if word))[:MOST_WORDS]
