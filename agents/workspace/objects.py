"""Earlier contents of workspace files: compressed copies named after the SHA-256 of what they hold.

Copies instead of a git repository: a daily log that grows by a line a hundred times a day is one small difference per
write here and a hundred whole blobs and trees there, forgetting means deleting a file instead of rewriting a history,
nothing has to be installed, and a workspace that is a repository of the owner's own stays theirs.
"""

from __future__ import annotations

import hashlib
import shutil
import zlib
from contextlib import suppress
from pathlib import Path

from agents.core.errors import NotFound
from agents.core.paths import data_dir
from agents.core.whole_file import write_whole
from search.sentences import sentence

LONGEST_CHAIN = 50
"""Appends are kept as differences to the content before; after so many comes a whole copy again."""

_WHOLE, _APPENDED = b"W", b"A"
_DAMAGED_HINT = sentence("Restore another version, or the data folder from a backup.")


class Damaged(NotFound):
    """A kept copy is missing or does not hold what its name says."""


def keep(slug: str, data: bytes) -> str:
    """Store `data` whole, unless it is there. Returns its name. Raises `OSError`."""
    digest = hashlib.sha256(data).hexdigest()
    path = _path(slug, digest)
    if not path.exists():
        _store(path, _WHOLE + zlib.compress(data))
    return digest


def keep_appended(slug: str, before: bytes, block: bytes) -> str:
    """Store `before + block` as a difference to `before`, which must be kept already."""
    whole = before + block
    digest = hashlib.sha256(whole).hexdigest()
    path = _path(slug, digest)
    if path.exists():
        return digest
    base = hashlib.sha256(before).hexdigest()
    length = _chain_length(_path(slug, base)) + 1
    if length > LONGEST_CHAIN:
        return keep(slug, whole)
    _store(path, _APPENDED + bytes([length]) + bytes.fromhex(base) + zlib.compress(block))
    return digest


def load(slug: str, digest: str) -> bytes:
    """The content of this name. Raises `Damaged`."""
    blocks: list[bytes] = []
    name = digest
    try:
        while True:
            stored = _path(slug, name).read_bytes()
            if stored[:1] == _WHOLE:
                blocks.append(zlib.decompress(stored[1:]))
                break
            blocks.append(zlib.decompress(stored[34:]))
            name = stored[2:34].hex()
    except (OSError, zlib.error) as error:
        raise Damaged(
            sentence("The kept copy {digest} cannot be read: {error}.", digest=digest[:12], error=error),
            hint=_DAMAGED_HINT,
        ) from error
    data = b"".join(reversed(blocks))
    if hashlib.sha256(data).hexdigest() != digest:
        raise Damaged(sentence("The kept copy {digest} is damaged.", digest=digest[:12]), hint=_DAMAGED_HINT)
    return data


def holds(slug: str, digest: str) -> bool:
    return _path(slug, digest).exists()


def size_of(slug: str, digest: str) -> int | None:
    """Bytes of the content; None when the copy cannot be read."""
    try:
        return len(load(slug, digest))
    except Damaged:
        return None


def drop(slug: str, gone: set[str], kept: set[str]) -> None:
    """Delete the copies of `gone`. Those of `kept` that build on one of them are stored whole before."""
    for digest in kept:
        if not gone.isdisjoint(_bases(slug, digest)):
            with suppress(Damaged):  # it cannot be read with its base either
                data = load(slug, digest)
                _store(_path(slug, digest), _WHOLE + zlib.compress(data))
    for digest in gone - kept:
        _path(slug, digest).unlink(missing_ok=True)


def names(slug: str) -> set[str]:
    """All copies of an agent."""
    return {path.parent.name + path.name for path in (data_dir() / "history" / slug).glob("[0-9a-f][0-9a-f]/*")}


def folders() -> list[Path]:
    """One folder per agent that ever had a write, named by its slug, which never begins with a dot."""
    root = data_dir() / "history"
    return [path for path in root.iterdir() if not path.name.startswith(".")] if root.exists() else []


def remove_all(slug: str) -> None:
    shutil.rmtree(data_dir() / "history" / slug, ignore_errors=True)


def _bases(slug: str, digest: str) -> set[str]:
    found: set[str] = set()
    path = _path(slug, digest)
    while path.exists():
        with path.open("rb") as file:
            head = file.read(34)
        if head[:1] != _APPENDED:
            break
        found.add(head[2:34].hex())
        path = _path(slug, head[2:34].hex())
    return found


def _chain_length(path: Path) -> int:
    with path.open("rb") as file:
        head = file.read(2)
    return head[1] if head[:1] == _APPENDED else 0


def _path(slug: str, digest: str) -> Path:
    return data_dir() / "history" / slug / digest[:2] / digest[2:]


def _store(path: Path, data: bytes) -> None:
    """Whole or not at all. Only we write here, so a plain rename is enough."""
    write_whole(path, data, room=data_dir() / "history")
