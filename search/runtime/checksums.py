"""verify_file(): is a model file exactly the one that is known? Asked before anything loads it.

A truncated GGUF can abort the process that loads it, so the check comes first. Hashing 74 MB takes a moment, so a
passed check is noted in a side file `<name>.ok` and believed while the file's size and modification time stay.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from search.errors import EmbedderUnavailable
from search.sentences import sentence


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify_file(path: Path, sha256: str) -> None:
    """Raise `EmbedderUnavailable` unless `path` has this checksum; `FileNotFoundError` when it is not there."""
    facts = path.stat()
    note = {"size": facts.st_size, "mtime_ns": facts.st_mtime_ns, "sha256": sha256}
    if _read(_side_file(path)) == note:
        return
    found = sha256_of(path)
    if found != sha256:
        raise EmbedderUnavailable(
            sentence(
                "{name} is damaged or not the expected file (sha256 {found}…, expected {sha256}…)",
                name=path.name,
                found=found[:12],
                sha256=sha256[:12],
            ),
            hint=sentence(
                "Delete {path}; the bundled model is made again by itself, another one by `manage.py models pull`.",
                path=path,
            ),
        )
    note_verified(path, sha256)


def known_sha256(path: Path) -> str:
    """The checksum of a file of one's own: what was noted, as long as the file is the same, else computed."""
    facts = path.stat()
    note = _read(_side_file(path))
    if isinstance(note, dict) and (note.get("size"), note.get("mtime_ns")) == (facts.st_size, facts.st_mtime_ns):
        return str(note.get("sha256"))
    found = sha256_of(path)
    note_verified(path, found)
    return found


def note_verified(path: Path, sha256: str | None) -> None:
    """Remember that the file as it is now has this checksum. A folder that cannot be written only costs time later."""
    if sha256 is not None:
        facts = path.stat()
        note = {"size": facts.st_size, "mtime_ns": facts.st_mtime_ns, "sha256": sha256}
        with suppress(OSError):
            _side_file(path).write_text(json.dumps(note))


def _side_file(path: Path) -> Path:
    return path.with_name(path.name + ".ok")


def _read(side_file: Path) -> object:
    try:
        return json.loads(side_file.read_text())
    except (OSError, ValueError):
        return None
