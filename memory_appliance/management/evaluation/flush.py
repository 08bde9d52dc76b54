"""evaluate_flush(): transcripts with gold facts and distractors, flushed and searched as through the doors."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.core.actors import CLI, Caller
from agents.flush import Flushed, flush
from agents.indexes.specs import index_spec
from agents.memory import reads
from agents.models import Agent, Transcript
from agents.registry.agents import create_agent, delete_agent
from agents.transcripts.files import rendered_part, transcripts_dir
from search.documents.transcripts import Turn, read_turn
from search.evaluation.dataset import BadDataset
from search.index.embed import embed_pending
from search.outcome import Hit
from search.runtime.protocols import Embedder

OWNER = Caller(CLI, trusted=True)
FIRST = 10


@dataclass(frozen=True, slots=True)
class FlushFigures:
    """Of one transcript: what was found, out of what there is."""

    name: str
    method: str
    facts: int
    noted: int
    distractors: int
    stored: int
    found: int
    notes: int

    def line(self) -> str:
        return (
            f"{self.name:18}{self.method:12}facts noted {self.noted}/{self.facts}"
            f"  distractors stored {self.stored}/{self.distractors}"
            f"  facts in the first {FIRST} {self.found}/{self.facts}  notes {self.notes}"
        )


def evaluate_flush(folder: Path, embedder: Embedder | None) -> Iterator[FlushFigures]:
    """Each transcript is flushed by an agent of its own, which is gone afterwards. Raises `BadDataset`."""
    for gold in _gold(folder):
        turns = _turns(folder / gold["transcript"])
        agent = create_agent(actor=CLI, slug=f"evaluation-{secrets.token_hex(6)}")
        try:
            yield _measure(agent, gold, turns, embedder)
        finally:
            delete_agent(actor=CLI, agent=Agent.objects.get(pk=agent.pk))
            for left in (Path(agent.workspace), transcripts_dir(agent)):
                shutil.rmtree(left, ignore_errors=True)


def total(rows: list[FlushFigures]) -> FlushFigures:
    return FlushFigures(
        name="all",
        method="",
        facts=sum(row.facts for row in rows),
        noted=sum(row.noted for row in rows),
        distractors=sum(row.distractors for row in rows),
        stored=sum(row.stored for row in rows),
        found=sum(row.found for row in rows),
        notes=sum(row.notes for row in rows),
    )


def _measure(agent: Agent, gold: dict[str, Any], turns: list[Turn], embedder: Embedder | None) -> FlushFigures:
    done = flush(agent=agent, caller=OWNER, turns=turns, deadline_ms=120_000)
    agent = Agent.objects.get(pk=agent.pk)
    if embedder is not None:
        embed_pending(index_spec(agent), embedder, budget_seconds=120, progress=lambda _: None, cancelled=lambda: False)
    noted = {note.source_index for note in done.written}
    return FlushFigures(
        name=Path(gold["transcript"]).stem,
        method=done.method,
        facts=len(gold["facts"]),
        noted=sum(fact["index"] in noted for fact in gold["facts"]),
        distractors=len(gold["distractors"]),
        stored=sum(not noted.isdisjoint(entry["indices"]) for entry in gold["distractors"]),
        found=sum(_is_found(agent, fact, turns, done) for fact in gold["facts"]),
        notes=len(done.written),
    )


def _is_found(agent: Agent, fact: dict[str, Any], turns: list[Turn], done: Flushed) -> bool:
    params = reads.SearchParams(fact["fact"], corpus="all", max_results=FIRST)
    answer = reads.search(agent=agent, caller=OWNER, session=None, params=params)
    places = _places(agent, fact["index"], turns, done)
    return isinstance(answer, reads.Searched) and any(
        _covers(hit, place) for hit in answer.outcome.results for place in places
    )


def _places(agent: Agent, index: int, turns: list[Turn], done: Flushed) -> list[tuple[str, int, int]]:
    """Where the message stands: as a note, and in the transcript."""
    places = [(note.path, note.start_line, note.end_line) for note in done.written if note.source_index == index]
    for transcript in Transcript.objects.filter(agent=agent).select_related("agent"):
        for part in range(1, transcript.part + 1):
            rendered = rendered_part(transcript, part)
            lines = rendered.text.splitlines()
            places += [
                (f"sessions/{transcript.folder}/{part:05d}.md", place.first, place.last)
                for place in rendered.lines
                if lines[place.first - 1].endswith(" ".join(turns[index].text.split())[-40:])
            ]
    return places


def _covers(hit: Hit, place: tuple[str, int, int]) -> bool:
    path, first, last = place
    return hit.path == path and hit.start_line <= first and last <= hit.end_line


def _gold(folder: Path) -> list[dict[str, Any]]:
    path = folder / "gold.jsonl"
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise BadDataset(f"{path} cannot be read: {error}", hint="Transcripts lie beside a gold.jsonl.") from error


def _turns(path: Path) -> list[Turn]:
    try:
        return [read_turn(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise BadDataset(f"{path} cannot be read: {error}", hint="gold.jsonl names it.") from error
