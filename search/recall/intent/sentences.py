"""Our own training sentences: `sentences/<language>.txt`, one a line under `[+ kind]` or `[- kind]`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "sentences"
HELD_OUT_EVERY = 8
"""Of each section every eighth sentence is kept out of training. The position decides, and sections of different
languages run roughly alike, so that a translation of a held-out sentence is mostly held out too."""


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    language: str
    kind: str
    recall: bool
    held_out: bool


def read_sentences(folder: Path = FOLDER) -> list[Sentence]:
    """Raises `ValueError` with the file and line of what is wrong."""
    return [sentence for path in sorted(folder.glob("*.txt")) for sentence in _read(path)]


def _read(path: Path) -> list[Sentence]:
    found: list[Sentence] = []
    section, position = "", 0
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("["):
            if line[:3] not in ("[+ ", "[- ") or not line.endswith("]"):
                raise ValueError(f"{path.name}:{number}: a section is [+ kind] or [- kind], not {line!r}")
            section, position = line, 0
        elif line.strip():
            if not section:
                raise ValueError(f"{path.name}:{number}: a sentence stands before the first section")
            held_out = position % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
            found.append(Sentence(line, path.stem, section[3:-1], section[1] == "+", held_out))
            position += 1
    return found
