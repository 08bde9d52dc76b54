"""Writer: where the notes of a flush go, and that none is written twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from agents.core.actors import Caller
from agents.core.errors import Conflict
from agents.flush.working import HEADING, WORKING
from agents.models import Agent
from agents.workspace import append, read_content
from agents.workspace.places import daily_path
from agents.workspace.rejected import REJECTED
from search.flush import Choice
from search.sentences import sentence
from search.spec import Origin

MEMORY = "MEMORY.md"
_SECTIONS = {MEMORY: "## Decisions", WORKING: HEADING}
"""Under its own heading, so that no note stands under another topic's."""
_CURATED: frozenset[Origin] = frozenset({"owner", "agent"})
"""What comes from a group or out of an unknown chat is noted in the day's log, never in the curated memory."""


@dataclass(frozen=True, slots=True)
class Written:
    path: str
    start_line: int
    end_line: int
    kind: str
    text: str
    source_index: int


@dataclass(slots=True)
class Writer:
    """Of one flush: the day is that of its beginning, also when it ends after midnight."""

    agent: Agent
    caller: Caller
    origin: Origin
    session_key: str
    decisions_to: str
    memory_chars: int
    day: date
    begun_at: datetime
    reason: str = field(default="", init=False)

    def write(self, choices: Sequence[Choice], *, excerpt: bool) -> list[Written]:
        """Append them, each once. What stands in the file in nearly the same words already is left out."""
        written = []
        for note in self.proposed(choices, excerpt=excerpt):
            path = note.path
            heading = f"# {self.day.isoformat()}" if path not in _SECTIONS else ""
            try:
                done = append(
                    agent=self.agent,
                    actor=self.caller.actor,
                    path=path,
                    text=f"(excerpt) {note.text}" if excerpt else note.text,
                    origin=self.origin,
                    heading=heading,
                    section=_SECTIONS.get(path, "## Notes"),
                    session_key=self.session_key,
                    begun_at=self.begun_at,
                    index=False,
                )
            except Conflict as error:
                if error.code != REJECTED:
                    raise
                self.reason = sentence("what a person rejected before is left out")
                continue
            if not done.duplicate:
                written.append(replace(note, start_line=done.start_line, end_line=done.end_line))
        return written

    def proposed(self, choices: Sequence[Choice], *, excerpt: bool) -> Iterator[Written]:
        """Where each would go, without lines. One at a time: an earlier one takes room of `MEMORY.md`."""
        for choice in choices:
            kind, path = "excerpt" if excerpt else choice.kind, daily_path(self.day)
            if not excerpt:
                path = self._place(kind, choice.text, path)
            yield Written(path, 0, 0, kind, choice.text, choice.index)

    def _place(self, kind: str, text: str, daily: str) -> str:
        if kind == "state":
            return WORKING
        if kind != "decision" or self.decisions_to != "memory" or self.origin not in _CURATED:
            return daily
        if len(read_content(self.agent, MEMORY).text) + len(text) + len(_SECTIONS[MEMORY]) + 6 > self.memory_chars:
            self.reason = sentence(
                "{memory} has no room within {memory_chars} characters: decisions are in the day's log",
                memory=MEMORY,
                memory_chars=self.memory_chars,
            )
            return daily
        return MEMORY
