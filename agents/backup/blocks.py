"""BlockStore: pieces of files, kept once each, compressed, under the SHA-256 of what they hold.

Pieces have one size, so that of a database or a log that grew only the pieces that changed are kept again: both change
in place or at their end. Nothing is encrypted here: keep the folder where only you can read it, or on a disk that is.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from search.sentences import sentence

BLOCK_BYTES = 256 * 1024
_LEVEL = 3
"""Three times the speed of zlib's own choice for a few percent more bytes."""


class BlockDamaged(Exception):
    """A block is missing, cannot be read, or does not hold what its name says."""


class BlockStore:
    """Writers hold the store's lock (`catalog.store_lock`); readers need none.

    Blocks are not synced one by one: `catalog.publish` syncs the disk once before it names them. A block that is there
    already is not trusted either: whoever makes a backup reads all of it back at the end.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "blocks"
        self._known: set[str] = set()
        self.added = 0
        """Bytes written by this object."""

    def put_file(self, file: IO[bytes]) -> tuple[tuple[str, ...], int]:
        """Keep what is left to read of `file`: its blocks and its size. Raises `OSError`."""
        names, size = [], 0
        while data := file.read(BLOCK_BYTES):
            names.append(self.put(data))
            size += len(data)
        return tuple(names), size

    def put(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        if name not in self._known:
            path = self._path(name)
            if not path.exists():
                self._write(path, zlib.compress(data, _LEVEL))
            self._known.add(name)
        return name

    def has_all(self, names: Iterable[str]) -> bool:
        """Looks at each only once."""
        for name in names:
            if name not in self._known:
                if not self._path(name).exists():
                    return False
                self._known.add(name)
        return True

    def get(self, name: str) -> bytes:
        """Raises `BlockDamaged`."""
        try:
            data = zlib.decompress(self._path(name).read_bytes())
        except (OSError, zlib.error) as error:
            raise BlockDamaged(sentence("block {name} cannot be read: {error}", name=name[:12], error=error)) from error
        if hashlib.sha256(data).hexdigest() != name:
            raise BlockDamaged(sentence("block {name} does not hold what its name says", name=name[:12]))
        return data

    def read(self, names: Iterable[str]) -> Iterator[bytes]:
        return (self.get(name) for name in names)

    def drop(self, name: str) -> None:
        """Forget a damaged block, so that the next backup writes it again."""
        self._path(name).unlink(missing_ok=True)
        self._known.discard(name)

    def drop_unused(self, used: set[str]) -> int:
        """Delete every block that is not in `used`, and what a writer that died left; returns the bytes freed."""
        freed = 0
        for path in self._folder.glob("??/*"):
            if path.parent.name + path.name not in used:
                freed += path.stat().st_size
                path.unlink()
        return freed

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = path.with_name(f".{secrets.token_hex(8)}")
        try:
            with open(beside, "wb", opener=_private) as file:
                file.write(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        self.added += len(data)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
