"""What comes in: written beside its final place, compared there, and taken in one rename."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from agents.nodes.inventory import Entry, digest_of, open_entry
from agents.nodes.places import INDEX, INDEX_FILE, Place
from search.documents.contain import PathNotAllowed
from search.index.rebuild import remove_index


class PlaceTaken(Exception):
    """Something that is not ours lies where the agent's files are to go."""


class Staging:
    """The incoming parts of one move."""

    def __init__(self, places: dict[str, Place]) -> None:
        self.places = places

    def has(self, entry: Entry) -> bool:
        """Whether the file is here as it should be, by its size and times: what is compared in the end are hashes."""
        try:
            found = self._path(entry).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return (found.st_size, found.st_mtime_ns) == (entry.size, entry.mtime_ns)

    def equals(self, entry: Entry) -> bool:
        try:
            handle = open_entry(self.places[entry.root].incoming, entry.rel)
        except (OSError, PathNotAllowed):
            return False
        try:
            return digest_of(handle) == entry.digest
        finally:
            os.close(handle)

    def write(self, entry: Entry, blocks: Iterator[bytes]) -> None:
        """Under its name once it is whole and on the disk. Raises `OSError`."""
        path = self._path(entry)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755 if entry.root == "workspace" else 0o700)
        beside = path.with_name(f".{path.name[:200]}.part")
        with beside.open("wb") as file:
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(entry.mode | 0o600)
        os.utime(beside, ns=(entry.mtime_ns, entry.mtime_ns))
        beside.replace(path)

    def keep_only(self, wanted: Iterable[Entry]) -> None:
        """Remove what the source does not have any more."""
        paths = {self._path(entry) for entry in wanted}
        for place in self.places.values():
            for folder, _, names in os.walk(place.incoming):
                for name in names:
                    if (path := Path(folder, name)) not in paths:
                        path.unlink()

    def refuse_taken(self) -> None:
        """Raises `PlaceTaken` when files lie where the agent is to go; empty folders and locks are none."""
        for place in self.places.values():
            if place.root != INDEX and place.final.exists() and _files_below(place.final):
                raise PlaceTaken(f"there are files in {place.final} already")

    def take(self) -> None:
        """Rename every part to its final place; one that is there has been taken before. Raises `PlaceTaken`."""
        for place in self.places.values():
            source = place.incoming / INDEX_FILE if place.root == INDEX else place.incoming
            if not source.exists():
                continue
            if place.final.exists():
                if place.root != INDEX and _files_below(place.final):
                    raise PlaceTaken(f"there are files in {place.final} already")
                _remove(place)
            place.final.parent.mkdir(parents=True, exist_ok=True)
            source.rename(place.final)
        self.places["workspace"].final.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.places[INDEX].incoming, ignore_errors=True)

    def hand_back(self) -> None:
        """After a move that was given up: what was taken becomes incoming again."""
        for place in self.places.values():
            if place.root != INDEX and place.final.exists() and not place.incoming.exists():
                place.incoming.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                place.final.rename(place.incoming)

    def clear(self, *, keep: bool) -> list[str]:
        """Remove what came in, or keep a complete copy aside; returns where."""
        kept = []
        for place in self.places.values():
            if keep and place.root != INDEX and place.incoming.exists():
                place.aside.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                place.incoming.rename(place.aside)
                kept.append(str(place.aside))
            shutil.rmtree(place.incoming, ignore_errors=True)
        return kept

    def _path(self, entry: Entry) -> Path:
        """Raises `PathNotAllowed` for a name that would lead out of the part's folder."""
        parts = entry.rel.split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise PathNotAllowed(f"{entry.rel!r} is no path below its folder", hint="The source is not to be trusted.")
        return self.places[entry.root].incoming.joinpath(*parts)


def _files_below(folder: Path) -> bool:
    if folder.is_file():
        return True
    return any(names and Path(place).name != "locks" for place, _, names in os.walk(folder))


def _remove(place: Place) -> None:
    """A leftover index of the same name, or empty folders. Raises `IndexBusy`."""
    if place.root == INDEX:
        remove_index(place.final)
    else:
        shutil.rmtree(place.final)
