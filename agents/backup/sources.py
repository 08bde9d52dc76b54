"""What a backup holds besides the control database: the files of every agent, and where each lies inside the backup.

| inside the backup | what |
|---|---|
| `workspaces/<agent>/…` | the agent's workspace, wherever it lies; all files, not Markdown alone |
| `collections/<agent>/<name>/…` | a collection's folder, when it lies inside the data folder and not in the workspace |
| `transcripts/<agent>/…`, `history/<agent>/…` | the turns of its chats, and the kept versions of its files |
| `indexes/<agent>.sqlite` | where wanted: derived, but its vectors may have cost hours or money |

Mere collections outside the data folder are the owner's sources, not ours: they are named, not taken.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.backup.catalog import backup_dir
from agents.core.paths import data_dir, workspace_fault
from agents.models import Agent, Collection
from agents.workspace.beside import leftover
from search.documents.contain import PathNotAllowed, list_folder
from search.sentences import sentence

LEFT_OUT_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that goes into the backup as `place`."""

    place: str
    folder: Path
    locks: str = ""
    """The server's own folder of lock files directly below `folder`: of no use elsewhere."""


@dataclass(slots=True)
class LeftOut:
    """What is not in the backup, and why; a long list is cut and says so."""

    lines: list[str] = field(default_factory=list)
    more: int = 0

    def add(self, what: str, why: str) -> None:
        if len(self.lines) < LEFT_OUT_SHOWN:
            self.lines.append(f"{what.encode(errors='replace').decode()}: {why}")
        else:
            self.more += 1

    def told(self) -> tuple[str, ...]:
        return (*self.lines, *([f"and {self.more} more"] if self.more else ()))


def roots_of(agent: Agent, workspaces: Sequence[Path], left_out: LeftOut) -> list[Root]:
    """The agent's folders, its collections prefetched or not. `workspaces`: of all agents."""
    own = data_dir().resolve()
    roots = []
    if fault := workspace_fault(agent.workspace):
        left_out.add(agent.workspace, sentence("the workspace of {slug} {fault}", slug=agent.slug, fault=fault))
    else:
        roots.append(Root(f"workspaces/{agent.slug}", Path(agent.workspace)))
    for collection in agent.collections.all():
        folder = Path(collection.path)
        if collection.kind != Collection.Kind.CUSTOM or any(map(folder.is_relative_to, workspaces)):
            continue
        if any(workspace.is_relative_to(folder) for workspace in workspaces):
            left_out.add(
                str(folder),
                sentence(
                    "collection {name} of {slug} takes in whole workspaces", name=collection.name, slug=agent.slug
                ),
            )
        elif folder.is_relative_to(own):
            roots.append(Root(f"collections/{agent.slug}/{collection.name}", folder))
        else:
            left_out.add(
                str(folder),
                sentence(
                    "collection {name} of {slug} lies outside the data folder", name=collection.name, slug=agent.slug
                ),
            )
    roots.append(Root(f"transcripts/{agent.slug}", own / "transcripts" / agent.slug, locks="locks"))
    roots.append(Root(f"history/{agent.slug}", own / "history" / agent.slug))
    return roots


def files_below(root: Root, left_out: LeftOut) -> Iterator[tuple[str, Path]]:
    """Regular files and folders as (place, path), folder by folder in order of name; the place of a folder ends in `/`.

    Symlinks are neither followed nor taken. What is left out is told by its exact place, never by its name: a folder
    called `locks` or `venv` may hold what somebody wrote.
    """
    kept_out = backup_dir().resolve()
    locks = root.folder / root.locks if root.locks else None
    waiting = [(root.place, root.folder)]
    while waiting:
        place, folder = waiting.pop()
        if folder == locks:
            continue
        if folder == kept_out:
            left_out.add(str(folder), sentence("the folder of the backups"))
            continue
        try:
            entries = list_folder(folder)
        except FileNotFoundError:
            continue
        except PathNotAllowed as error:
            left_out.add(str(folder), error.message)
            continue
        except OSError as error:
            left_out.add(str(folder), str(error.strerror))
            continue
        yield f"{place}/", folder
        for name, kind in entries:
            if kind == stat.S_IFDIR:
                waiting.append((f"{place}/{name}", folder / name))
            elif leftover(name) and root.place.startswith("workspaces/"):
                left_out.add(
                    str(folder / name), sentence("what a write that was cut short left; the next start takes it up")
                )
            elif kind == stat.S_IFREG:
                yield f"{place}/{name}", folder / name
            else:
                left_out.add(
                    str(folder / name),
                    sentence("a symlink") if kind == stat.S_IFLNK else sentence("not a regular file"),
                )
