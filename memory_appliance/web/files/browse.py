"""The tree: one folder after the other, search by name, and the jump from a citation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from agents.core.moments import moment_of
from agents.files import documents
from agents.models import Agent
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.files.places import citation, reader_address
from memory_appliance.web.page import answer
from search.index.report import FileEntry
from search.index.tree import SubFolder

PER_PAGE = 100
MOST_FOUND = 100


@dataclass(frozen=True, slots=True)
class Crumb:
    """A folder on the way down."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as the list shows it; `name` is its path below the folder that is open."""

    path: str
    name: str
    collection: str
    size: int
    modified: datetime | None
    chunks: int
    problem: str


@dataclass(frozen=True, slots=True)
class Tree:
    """One folder, or what a search by name has found. `offset` is the first file's place in the folder."""

    folder: str
    crumbs: tuple[Crumb, ...]
    folders: tuple[SubFolder, ...]
    files: tuple[FileRow, ...]
    total: int
    offset: int = 0
    words: str = ""
    exists: bool = True

    @property
    def newer(self) -> int | None:
        return max(0, self.offset - PER_PAGE) if self.offset else None

    @property
    def older(self) -> int | None:
        after = self.offset + len(self.files)
        return after if after < self.total else None

    @property
    def full(self) -> bool:
        """Whether the search may have found more than is shown."""
        return bool(self.words) and len(self.files) >= MOST_FOUND


@agent_page("view")
@require_safe
def files(request: HttpRequest, access: Access) -> HttpResponse:
    words = request.GET.get("q", "").strip()[:500]
    target = _jump(access.agent, words)
    if target and not getattr(request, "htmx", False):
        return redirect(target)
    tree = _found(access.agent, words) if words else open_folder(access.agent, _folder(request), _offset(request))
    status = 404 if tree.folder and tree.exists and not (tree.files or tree.folders) else 200
    return answer(request, "files/files.html", {"access": access, "tree": tree, "target": target}, status=status)


def open_folder(agent: Agent, path: str, offset: int = 0, limit: int = PER_PAGE) -> Tree:
    found = documents.folder(agent, path, limit=limit, offset=offset)
    cut = len(path) + 1 if path else 0
    rows = tuple(_row(entry, entry.path[cut:]) for entry in found.files)
    return Tree(path, crumbs(path), found.folders, rows, found.total, offset, exists=found.exists)


def crumbs(path: str) -> tuple[Crumb, ...]:
    """The folders from the top down to `path`, which is the last of them."""
    names = path.split("/") if path else []
    return tuple(Crumb("/".join(names[: place + 1]), name) for place, name in enumerate(names))


def _found(agent: Agent, words: str) -> Tree:
    found = documents.named(agent, words, limit=MOST_FOUND)
    return Tree("", (), (), tuple(_row(entry, entry.path) for entry in found), len(found), words=words)


def _row(entry: FileEntry, name: str) -> FileRow:
    modified = moment_of(entry.modified) if entry.modified > 0 else None
    return FileRow(entry.path, name, entry.collection, entry.size, modified, entry.chunks, entry.problem or "")


def _jump(agent: Agent, words: str) -> str | None:
    """Where a pasted citation or docid leads."""
    if words.startswith("#"):
        path = documents.path_of_docid(agent, words)
        return reader_address(agent.slug, path) if path else None
    place = citation(words) if "#L" in words else None
    return reader_address(agent.slug, place.path, place.lines) if place else None


def _folder(request: HttpRequest) -> str:
    return request.GET.get("folder", "").strip("/")[:4096]


def _offset(request: HttpRequest) -> int:
    given = request.GET.get("offset", "")
    return min(int(given), 10_000_000) if given.isascii() and given.isdigit() and len(given) < 10 else 0
