"""take_up_all(), take_up_beside(): what writes that were cut short left hidden in a workspace gets its place again."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from agents.models import Agent, WorkspaceWrite
from agents.workspace import disk, objects
from agents.workspace.beside import leftover
from agents.workspace.journal import keep_displaced, writing
from agents.workspace.reading import digest_of, read_bytes
from search.documents.contain import PathNotAllowed, list_folder

_PENDING = WorkspaceWrite.objects.filter(state=WorkspaceWrite.State.PENDING)


def take_up_all(agent: Agent) -> None:
    """Every leftover in the whole workspace, for a start. The workspace's lock is held. Raises `OSError`."""
    root = Path(agent.workspace)
    rows = list(_PENDING.filter(agent=agent))
    for folder in sorted({found.rpartition("/")[0] for found in all_leftovers(root)}):
        with suppress(PathNotAllowed):
            _take_up(agent, folder, rows)


def take_up_beside(agent: Agent, paths: Iterable[str]) -> None:
    """The leftovers beside these files. The workspace's lock is held."""
    for folder in {path.rpartition("/")[0] for path in paths}:
        with suppress(PathNotAllowed, OSError):  # no folder, no leftovers
            _take_up(agent, folder, list(_PENDING.filter(agent=agent)))


def all_leftovers(root: Path) -> Iterator[str]:
    """Paths below the workspace of what writes that were cut short left there; none where it cannot be read."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        folders = waiting.pop()
        try:
            found = list_folder(root, folders)
        except (OSError, PathNotAllowed):
            continue
        waiting += [(*folders, name) for name, kind in found if kind == stat.S_IFDIR]
        yield from ("/".join((*folders, name)) for name, kind in found if kind == stat.S_IFREG and leftover(name))


def _take_up(agent: Agent, folder: str, rows: Sequence[WorkspaceWrite]) -> None:
    """What lies hidden in `folder` gets its name back, becomes a version, or goes because it was ours."""
    root = Path(agent.workspace)
    for found in disk.leftovers(root, folder):
        paths = [row.path for row in rows if row.path.rpartition("/")[::2] == (folder, found.name)]
        whole = PurePosixPath(folder, found.name).as_posix()
        # The name of a very long one was cut in the hidden one's.
        long = [row.path for row in rows if PurePosixPath(row.path).name.startswith(found.name)]
        path = next(iter([*paths, *long]), whole)
        own = [row for row in rows if row.path == path]
        with writing(path):
            disk.take_up(
                root, path, found, known=partial(_is_known, agent, path, own), keep=keep_displaced(agent, path)
            )


def _is_known(agent: Agent, path: str, rows: Sequence[WorkspaceWrite], content: bytes) -> bool:
    """Ours, whole or torn; or what the file holds; or what a write that came to its end has replaced and kept."""
    now = digest_of(read_bytes(agent, path))
    if digest_of(content) == now:
        return True
    for row in rows:
        if digest_of(content) == row.before and now == row.after:
            return True
        with suppress(objects.Damaged):
            if row.after and objects.load(agent.slug, row.after).startswith(content):
                return True
    return False
