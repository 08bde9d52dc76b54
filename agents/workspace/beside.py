"""Hidden files beside a person's own while one takes the place of another: how they are named, and when they rest.

`.plans.md.0123456789abcdef.memory` is what a write puts in place of plans.md, or what it displaced; with `.old` behind
it, what was taken away from its name. A write that ends in order leaves none.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import time
from dataclasses import dataclass

from agents.workspace.exchange import OLD

REST_SECONDS = 0.5
"""How long a displaced file may be held open by who writes into it."""
_POLL_SECONDS = 0.002
_MOST_BYTES = 200
"""Of the own name: with the rest it stays below what a name may have."""
_NAME = re.compile(rf"\A\.(?P<name>.+)\.[0-9a-f]{{16}}\.memory(?P<old>{re.escape(OLD)})?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Leftover:
    """`name` is the file's own, or the beginning of a very long one; `taken`: it was taken away from it."""

    hidden: str
    name: str
    taken: bool


def beside(name: str) -> str:
    short = name.encode()[:_MOST_BYTES].decode(errors="ignore")
    return f".{short}.{secrets.token_hex(8)}.memory"


def leftover(hidden: str) -> Leftover | None:
    """What a file of this name is; None for one that is not ours."""
    found = _NAME.fullmatch(hidden)
    return Leftover(hidden, found["name"], found["old"] is not None) if found else None


def read_at_rest(folder: int, name: str) -> bytes:
    """The content once nobody has the file open for writing any more, at the latest after REST_SECONDS.

    The kernel grants a lease for reading only then. Without leases it is read after a moment.
    """
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        _wait_for_rest(fd)
        return file.read()


def _wait_for_rest(fd: int) -> None:
    until = time.monotonic() + REST_SECONDS
    while time.monotonic() < until:
        try:
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            return
        except BlockingIOError:
            time.sleep(_POLL_SECONDS)
        except (AttributeError, OSError):
            time.sleep(10 * _POLL_SECONDS)
            return
