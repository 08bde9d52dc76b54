"""Our own chats with a label for each of the user's lines: `dialogues/dev.txt` to train on, two others to measure.

`everyday.txt` is chats as people have them; most lines of `held_out.txt` avoid the words that give a kind away.

    [en bakery 2026-03-17T18:40:00+00:00]
    decision: the shop stays shut on Mondays from now on
    a: Shut on Mondays, then.

`a` is the assistant. A dialogue lies wholly in one of the files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from search.documents.transcripts import Turn

FOLDER = Path(__file__).parent / "dialogues"
KEPT = ("decision", "fact", "preference", "task", "state")
"""What is worth a note; `state` is only so for now."""
LEFT = ("chat", "joke", "wish", "quote", "play", "question", "other", "unsure", "secret")
_HEAD = re.compile(r"\[(?P<language>\w+) (?P<topic>\S+) (?P<at>\S+)\]")
_LINE = re.compile(r"\A(?P<label>\w+): (?P<text>.+)")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """`labels` has one per turn; the assistant's are ""."""

    name: str
    language: str
    turns: tuple[Turn, ...]
    labels: tuple[str, ...]


def read_dialogues(path: Path) -> list[Dialogue]:
    """Raises `ValueError` with the file and line of what is wrong."""
    found: list[Dialogue] = []
    head: re.Match[str] | None = None
    lines: list[tuple[str, str]] = []

    def close() -> None:
        if head is not None:
            found.append(_dialogue(head, lines))
        lines.clear()

    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("["):
            close()
            head = _HEAD.fullmatch(line)
            if head is None:
                raise ValueError(f"{path.name}:{number}: a dialogue begins with [language topic time], not {line!r}")
        elif line.strip():
            match = _LINE.fullmatch(line)
            if head is None or match is None or match["label"] not in ("a", *KEPT, *LEFT):
                raise ValueError(f"{path.name}:{number}: a line is `label: text` in a dialogue, not {line!r}")
            lines.append((match["label"], match["text"]))
    close()
    return found


def _dialogue(head: re.Match[str], lines: list[tuple[str, str]]) -> Dialogue:
    begun = datetime.fromisoformat(head["at"])
    turns = tuple(
        Turn("assistant" if label == "a" else "user", text, at=(begun + timedelta(seconds=20 * place)).isoformat())
        for place, (label, text) in enumerate(lines)
    )
    labels = tuple("" if label == "a" else label for label, _ in lines)
    return Dialogue(f"{head['language']}-{head['topic']}", head["language"], turns, labels)
