"""The files a context is made of, read from the disk now: curated ones, shared ones, and the last days' notes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from agents.access import provenance
from agents.context.budget import DAILY_BYTES, SLUGGED_FILES
from agents.core.paths import workspace_fault
from agents.indexes.specs import CURATED, shared_name
from agents.models import Agent, Collection
from agents.workspace.reading import MAX_BYTES
from search.documents.contain import FileTooLarge, PathNotAllowed, name_problem, open_folder, open_inside, read_inside
from search.documents.leftovers import leftover
from search.documents.lines import decode, split_lines
from search.documents.origin import line_digest
from search.file_types import MARKDOWN
from search.sentences import sentence

_DAY = re.compile(r"\A\d{4}-\d{2}-\d{2}(?:-.+)?" + re.escape(MARKDOWN))


@dataclass(frozen=True, slots=True)
class Source:
    """`text` is what may be injected: lines of untrusted origin are left out and counted in `withheld`.

    `unread`: characters, about, that lie beyond the bytes that were read.
    """

    path: str
    text: str
    total_chars: int
    unread: int = 0
    withheld: int = 0
    problem: str = ""


def curated(agent: Agent, *, user: str | None) -> list[Source]:
    """MEMORY.md, USER.md and, when the chat names a person, that person's own USER.md; only those that exist."""
    if workspace_fault(agent.workspace):
        return []
    names = list(CURATED)
    if user and name_problem(user) is None and not user.startswith("."):
        names.append(f"users/{user}/USER.md")
    found = (_read(agent, Path(agent.workspace), name, name) for name in names)
    return [source for source in found if source is not None]


def shared(agent: Agent) -> list[Source]:
    """MEMORY.md of every agent that shares its memory with this one."""
    sources = []
    for share in agent.shared_in.all():
        if share.collection.kind == Collection.Kind.MEMORY and not workspace_fault(share.collection.agent.workspace):
            owner = share.collection.agent
            source = _read(owner, Path(owner.workspace), "MEMORY.md", f"{shared_name(share)}/MEMORY.md")
            if source is not None:
                sources.append(source)
    return sources


def daily(agent: Agent, today: date, days: int) -> tuple[list[Source], list[str]]:
    """The notes of the last `days` days, today's first, and warnings about notes that are left out."""
    if workspace_fault(agent.workspace):
        return [], []
    root = Path(agent.workspace)
    wanted = [(today - timedelta(days=back)).isoformat() for back in range(days)]
    by_day: dict[str, list[str]] = {day: [] for day in wanted}
    for name in _names(root):
        if name[:10] in by_day and _DAY.fullmatch(name) and not leftover(name):
            by_day[name[:10]].append(name)
    sources: list[Source] = []
    warnings: list[str] = []
    for day, names in by_day.items():
        slugged = sorted(name for name in names if name != f"{day}.md")
        if len(slugged) > SLUGGED_FILES:
            warnings.append(
                sentence(
                    "{count} more notes of {day} are left out; memory_search finds them.",
                    count=len(slugged) - SLUGGED_FILES,
                    day=day,
                )
            )
        chosen = [f"{day}.md"] * (f"{day}.md" in names) + slugged[-SLUGGED_FILES:]
        found = (_read(agent, root, f"memory/{name}", f"memory/{name}", DAILY_BYTES) for name in chosen)
        sources += [source for source in found if source is not None]
    return sources, warnings


def _names(root: Path) -> list[str]:
    """Names in `memory/`: one listing of one folder, no file is opened."""
    try:
        folder = open_folder(root, ["memory"])
    except (OSError, PathNotAllowed):
        return []
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    finally:
        os.close(folder)


def _read(agent: Agent, root: Path, rel: str, path: str, most: int | None = None) -> Source | None:
    """None for a file that is missing. `most`: only so many bytes from the beginning."""
    try:
        data, total = _bytes(root, rel, most)
    except FileNotFoundError:
        return None
    except (OSError, PathNotAllowed, FileTooLarge) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        return Source(path, "", 0, problem=sentence("{path} cannot be read: {reason}.", path=path, reason=reason))
    text, _ = decode(data)
    unread = 0
    if total > len(data):
        text = text.rstrip("\ufffd")  # a character that the limit in bytes has cut in two
        unread = max(1, round(len(text) * (total - len(data)) / len(data)))
    kept, withheld = _trusted(agent, text)
    return Source(path, kept, len(text) + unread, unread, withheld)


def _bytes(root: Path, rel: str, most: int | None) -> tuple[bytes, int]:
    if most is None:
        data = read_inside(root, rel, MAX_BYTES)
        return data, len(data)
    fd = open_inside(root, rel)
    try:
        return os.read(fd, most), os.fstat(fd).st_size
    finally:
        os.close(fd)


def _trusted(agent: Agent, text: str) -> tuple[str, int]:
    """Nothing is injected that neither the owner nor the agent stands behind."""
    lines = split_lines(text)
    digests = [line_digest(line) for line in lines]
    origins = provenance.origins_of(agent, {digest for digest in digests if digest is not None})
    bad = {digest for digest, origin in origins.items() if origin not in ("owner", "agent")}
    if not bad:
        return text, 0
    kept = [line for line, digest in zip(lines, digests, strict=True) if digest not in bad]
    return "\n".join(kept), len(lines) - len(kept)
