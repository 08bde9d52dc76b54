"""score_dialogues(): how well a flush picks from our own labelled chats, with the bundled model and by words alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from search.flush import choose, texts_to_embed
from search.flush.dialogues import FOLDER, KEPT, Dialogue, read_dialogues
from search.runtime.protocols import Embedder, Vectors

BATCH = 50


@dataclass(slots=True)
class DialogueFigures:
    """`lasting` counts decisions, facts, preferences and tasks; `state` what is so only for now."""

    name: str
    method: str
    lasting: int = 0
    found: int = 0
    wrong: int = 0
    right_kind: int = 0
    state: int = 0
    state_found: int = 0
    state_wrong: int = 0
    taken_from: Counter[str] = field(default_factory=Counter)

    def add(self, dialogue: Dialogue, vectors: dict[str, Vectors] | None) -> None:
        chosen: dict[int, list[str]] = {}
        for choice in choose(dialogue.turns, vectors=vectors):
            chosen.setdefault(choice.index, []).append(choice.kind)
        for place, label in enumerate(dialogue.labels):
            kinds = chosen.get(place, [])
            kept, passing = [kind for kind in kinds if kind != "state"], "state" in kinds
            self.state += label == "state"
            self.state_found += passing and label == "state"
            self.state_wrong += passing and label != "state"
            self.lasting += label in KEPT and label != "state"
            if kept and label in KEPT and label != "state":
                self.found += 1
                self.right_kind += label in kept
            elif kept:
                self.wrong += 1
                self.taken_from[label] += 1

    def line(self) -> str:
        wrong = ", ".join(f"{count} {label}" for label, count in self.taken_from.most_common())
        return (
            f"{self.name:12}{self.method:8}precision {_share(self.found, self.found + self.wrong)}"
            f"  recall {_share(self.found, self.lasting)}  kind {_share(self.right_kind, self.found)}  n={self.lasting}"
            f"  for now: precision {_share(self.state_found, self.state_found + self.state_wrong)}"
            f" recall {_share(self.state_found, self.state)} n={self.state}" + (f"  wrong: {wrong}" if wrong else "")
        )


def score_dialogues(
    embedder: Embedder | None, names: Sequence[str] = ("dev", "everyday", "held_out")
) -> Iterator[DialogueFigures]:
    """The head was trained on `dev`: the others say how well it does, and there each language by itself too."""
    for name in names:
        dialogues = read_dialogues(FOLDER / f"{name}.txt")
        vectors: dict[str, Vectors] = {}
        if embedder is not None:
            texts = list(dict.fromkeys(text for one in dialogues for text in texts_to_embed(one.turns, frozenset())))
            for start in range(0, len(texts), BATCH):
                part = texts[start : start + BATCH]
                vectors |= dict(zip(part, embedder.embed_documents(part, timeout=300), strict=True))
        for method in ("model", "words") if embedder is not None else ("words",):
            languages = sorted({dialogue.language for dialogue in dialogues}) if name != "dev" else []
            for language in ("", *languages):
                figures = DialogueFigures(f"{name} {language}".strip(), method)
                for dialogue in dialogues:
                    if language in ("", dialogue.language):
                        figures.add(dialogue, vectors if method == "model" else None)
                yield figures


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "    –"
