"""learned(), keep(), reject(): what agents and flushes have written, for people to look through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from agents.core.actors import CLI, PERSON_PREFIX, Caller
from agents.core.audit import record
from agents.core.errors import Invalid, NotFound, RuleError
from agents.models import Agent, WorkspaceWrite
from agents.workspace import objects, read_content, replace
from agents.workspace.rejected import reject_lines
from search.documents.lines import decode, split_lines
from search.sentences import sentence

PAGE = 50
MOST_AT_ONCE = 200
_BY_PEOPLE = Q(actor__startswith=PERSON_PREFIX) | Q(actor=CLI.name)
"""What people write needs no review."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One note. `lines`: its text, without headings that came with it; `there`: it stands in the file as written.

    `decision`: "", `kept` or `rejected`.
    """

    id: int
    at: datetime
    actor: str
    session_key: str
    path: str
    start_line: int
    lines: tuple[str, ...]
    there: bool
    decision: str


@dataclass(frozen=True, slots=True)
class LearnedPage:
    """`older`: the id to go on below; None at the end."""

    rows: tuple[Learned, ...]
    waiting: int
    older: int | None


def learned(agent: Agent, *, everything: bool = False, below: int | None = None) -> LearnedPage:
    """Notes of agents and flushes, the newest first: those that wait for a decision, or all."""
    found = _notes(agent)
    waiting = found.filter(reviewed="").count()
    rows = found if everything else found.filter(reviewed="")
    if below is not None:
        rows = rows.filter(pk__lt=below)
    taken = list(rows.order_by("-pk")[: PAGE + 1])
    shown = tuple(_shown(agent, taken[:PAGE]))
    return LearnedPage(shown, waiting, taken[PAGE - 1].pk if len(taken) > PAGE else None)


def keep(*, agent: Agent, caller: Caller, ids: Collection[int]) -> int:
    """These notes are right. Returns how many were decided. Raises `Invalid`, `NotFound`."""
    rows = _chosen(agent, ids)
    WorkspaceWrite.objects.filter(pk__in=[row.pk for row in rows]).update(reviewed=WorkspaceWrite.Reviewed.KEPT)
    record(actor=caller.actor, action="learned.keep", target=agent.slug, agent_slug=agent.slug, detail=_told(rows))
    return len(rows)


def reject(*, agent: Agent, caller: Caller, ids: Collection[int]) -> int:
    """Take these notes out of their files, and never write their lines again. Returns how many were decided.

    The text before is kept as a version. A note that was changed since then is only not written again. Raises
    `Invalid`, `NotFound`, `Conflict` (a file that is saved in the same moment: nothing of it is changed then) and
    `WorkspaceUnwritable`.
    """
    by_path: dict[str, list[WorkspaceWrite]] = defaultdict(list)
    rows = _chosen(agent, ids)
    for row in rows:
        by_path[row.path].append(row)
    for path, there in by_path.items():
        notes = [(row.start_line, _lines(agent, row)) for row in sorted(there, key=lambda row: -row.start_line)]
        for _, lines in notes:
            reject_lines(agent, lines)
        _take_out(agent, caller, path, notes)
        WorkspaceWrite.objects.filter(pk__in=[row.pk for row in there]).update(
            reviewed=WorkspaceWrite.Reviewed.REJECTED
        )
    record(actor=caller.actor, action="learned.reject", target=agent.slug, agent_slug=agent.slug, detail=_told(rows))
    return len(rows)


def _notes(agent: Agent) -> QuerySet[WorkspaceWrite]:
    return agent.writes.filter(action="append", state=WorkspaceWrite.State.DONE).exclude(_BY_PEOPLE)


def _chosen(agent: Agent, ids: Collection[int]) -> list[WorkspaceWrite]:
    if not ids or len(ids) > MOST_AT_ONCE:
        raise Invalid(
            sentence("Choose 1 to {most} notes.", most=MOST_AT_ONCE), hint=sentence("Send the rest in another call.")
        )
    rows = list(_notes(agent).filter(pk__in=set(ids)).order_by("pk"))
    if len(rows) != len(set(ids)):
        raise NotFound(sentence("One of these notes is not there."), hint=sentence("Read the list again."))
    return rows


def _told(rows: Sequence[WorkspaceWrite]) -> dict[str, object]:
    return {"notes": len(rows), "files": sorted({row.path for row in rows})[:10]}


def _shown(agent: Agent, rows: Sequence[WorkspaceWrite]) -> Iterator[Learned]:
    files: dict[str, list[str]] = {}
    for row in rows:
        if row.path not in files:
            files[row.path] = _content(agent, row.path)
        lines = _lines(agent, row)
        first = _place(files[row.path], lines, row.start_line)
        yield Learned(
            id=row.pk,
            at=row.at,
            actor=row.actor,
            session_key=row.session_key,
            path=row.path,
            start_line=row.start_line if first is None else first + 1,
            lines=lines,
            there=first is not None,
            decision=row.reviewed,
        )


def _content(agent: Agent, path: str) -> list[str]:
    try:
        return split_lines(read_content(agent, path).text)
    except RuleError:
        return []


def _lines(agent: Agent, row: WorkspaceWrite) -> tuple[str, ...]:
    """The note as it was written; nothing when its copy is gone, as after forgetting."""
    try:
        block = decode(objects.load(agent.slug, row.after)[row.start :])[0]
    except NotFound:
        return ()
    size = max(1, row.end_line - row.start_line + 1)
    lines = split_lines(block)
    while lines and not lines[-1].strip():
        lines.pop()
    return tuple(lines[-size:])


def _place(content: Sequence[str], lines: Sequence[str], start_line: int) -> int | None:
    """Index of the note's first line: where it was written, else the first place that has it; None when none has."""
    wanted = [line.rstrip() for line in lines]
    if not wanted:
        return None
    plain = [line.rstrip() for line in content]
    starts = [start_line - 1, *(at for at, line in enumerate(plain) if line == wanted[0])]
    return next((at for at in starts if at >= 0 and plain[at : at + len(wanted)] == wanted), None)


def _take_out(agent: Agent, caller: Caller, path: str, notes: Sequence[tuple[int, Sequence[str]]]) -> None:
    """`notes` by their first line, the last first, so that the places of the others stay."""
    before = read_content(agent, path)
    lines = split_lines(before.text)
    for start_line, note in notes:
        first = _place(lines, note, start_line)
        if first is not None:
            del lines[first : first + len(note)]
    text = "\n".join(lines)
    if text != before.text:
        replace(
            agent=agent,
            actor=caller.actor,
            path=path,
            text=text,
            expected_hash=before.hash,
            origin=None,
            action="reject",
        )
