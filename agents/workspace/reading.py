"""read_content(): a workspace file as it lies on disk now, with the hash that a later write can be held to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from agents.core.errors import Invalid, WorkspaceUnwritable
from agents.models import Agent
from agents.workspace.places import own_place
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.lines import decode
from search.sentences import ended, sentence

MAX_BYTES = 16 * 1024 * 1024
"""Larger files are not indexed either."""


@dataclass(frozen=True, slots=True)
class Content:
    """`hash` is the SHA-256 of the bytes; empty when there is no such file. `lossy`: some bytes are not UTF-8."""

    path: str
    text: str
    hash: str
    size: int
    lossy: bool = False

    @property
    def exists(self) -> bool:
        return bool(self.hash)


def read_content(agent: Agent, path: str) -> Content:
    """Raises `Invalid` for a path that is no place for memory, or that leads through a symlink."""
    path = own_place(agent, path)
    data = read_bytes(agent, path)
    if data is None:
        return Content(path, "", "", 0)
    text, lossy = decode(data)
    return Content(path, text, digest_of(data), len(data), lossy)


def read_bytes(agent: Agent, path: str) -> bytes | None:
    """The file's bytes; None when there is none. `path` was checked by the caller."""
    try:
        return read_inside(Path(agent.workspace), path, MAX_BYTES)
    except FileNotFoundError:
        return None
    except IsADirectoryError as error:
        raise Invalid(
            sentence("{path} is a folder.", path=path),
            hint=sentence("Name a file."),
            field="path",
            code="path_not_allowed",
        ) from error
    except (PathNotAllowed, FileTooLarge) as error:
        code = "path_not_allowed" if isinstance(error, PathNotAllowed) else ""
        raise Invalid(ended(error.message), hint=error.hint, field="path", code=code) from error
    except OSError as error:
        raise WorkspaceUnwritable(
            sentence("{path} cannot be read: {strerror}.", path=path, strerror=error.strerror),
            hint=sentence("See to the folder, its disk and its rights."),
        ) from error


def digest_of(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
