"""What forgetting takes out of which file: plan_file() for a whole one, plan_session() for the lines of a chat."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agents.models import Agent, WorkspaceWrite
from agents.workspace.purge import WITH_BLOCK, block_of
from agents.workspace.reading import digest_of, read_bytes
from search.documents.lines import count_lines, decode
from search.sentences import sentence

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Taken:
    """Text that goes (or would go) out of one file: the whole file, or lines of it."""

    path: str
    whole: bool
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Stays:
    """Something that is still there, and what can be done about it."""

    what: str
    hint: str


@dataclass(slots=True)
class Plan:
    """What to do with each file: its bytes now, its bytes afterwards (None: it goes), and the first write to purge."""

    files: dict[str, tuple[bytes, bytes | None]] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    purge: dict[str, int] = field(default_factory=dict)
    stays: list[Stays] = field(default_factory=list)
    rows: int = 0
    versions: int = 0


_END = re.compile(rb"\A(?:\r\n|\r|\n)")
_BOM = b"\xef\xbb\xbf"
_AROUND = (b"", b"\r", b"\n")


def plan_file(agent: Agent, path: str, since: datetime | None) -> Plan:
    plan = Plan(purge={path: 0})
    data = read_bytes(agent, path)
    if data is None:
        return plan
    if since is not None and (Path(agent.workspace) / path).lstat().st_mtime > since.timestamp():
        logger.warning("%s of %s was saved since it was to be forgotten, and stays", path, agent.slug)
        return plan
    plan.files[path] = (data, None)
    plan.taken.append(Taken(path, True, 1, count_lines(decode(data)[0])))
    return plan


def plan_session(agent: Agent, session_key: str, gone: set[str]) -> Plan:
    """Every text that was written for this chat and is still there as it was written; of `gone` some went before."""
    plan = Plan()
    writes = WorkspaceWrite.objects.filter(WorkspaceWrite.of_chat(session_key), agent=agent).order_by("pk")
    for row in writes:
        plan.purge.setdefault(row.path, row.pk)
        now, rest = plan.files.get(row.path) or (read_bytes(agent, row.path),) * 2
        if now is None or rest is None:
            continue
        if row.action not in WITH_BLOCK:
            if digest_of(now) == row.after:
                plan.files[row.path] = (now, None)
                plan.taken.append(Taken(row.path, True, 1, count_lines(decode(now)[0])))
            elif row.path not in gone:
                plan.stays.append(_changed_since(row.path))
            continue
        block = block_of(agent, row)
        place = None if block is None else _whole_lines(rest, block)
        if block is None or place is None:
            if row.path not in gone:
                plan.stays.append(_changed_since(row.path))
            continue
        first = count_lines(decode(now[: _whole_lines(now, block)])[0]) + 1
        plan.taken.append(Taken(row.path, False, first, first + count_lines(decode(block)[0]) - 1))
        plan.files[row.path] = (now, rest[:place] + _END.sub(b"", rest[place + len(block) :], count=1))
    return plan


def _whole_lines(data: bytes, block: bytes) -> int | None:
    """Where `block` is in `data` as whole lines."""
    place = data.find(block)
    while place >= 0:
        end = place + len(block)
        if (data[max(place - 1, 0) : place] in _AROUND or data[:place] == _BOM) and data[end : end + 1] in _AROUND:
            return place
        place = data.find(block, place + 1)
    return None


def _changed_since(path: str) -> Stays:
    return Stays(
        sentence(
            "{path}: what was written there for this chat was changed since, so it cannot be told from the rest.",
            path=path,
        ),
        sentence("Look at the file, or forget it as a whole by its path."),
    )
