"""exchange(), place(): names of files in one folder change so that no file is ever lost by it.

Where the system or the file system has no such call (macOS, some network shares) the same is done in steps, each of
which refuses to overwrite; a process that dies between two of them leaves a file whose name ends in OLD.
"""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Any

OLD = ".old"
"""Ends the name of a file that was taken away from its own."""
_NO_REPLACE, _EXCHANGE = 1, 2
_NO_SUCH_CALL = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def exchange(folder: int, one: str, other: str) -> None:
    """Swap `one` and `other` in the folder of this descriptor. Raises `OSError`; then nothing was swapped.

    In steps there is a moment in which nothing has the name `other`. Who makes a file of that name in it keeps it:
    `FileExistsError`; `one` is as before, and what `other` was lies beside it, with OLD behind the name of `one`.
    """
    if _renamed(folder, one, other, _EXCHANGE):
        return
    aside = one + OLD
    os.link(one, aside, src_dir_fd=folder, dst_dir_fd=folder)  # a file system without links is found out here
    try:
        os.rename(other, aside, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(aside, dir_fd=folder)
        raise
    try:
        os.link(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise
    except OSError:
        place(folder, aside, other)
        raise
    os.rename(aside, one, src_dir_fd=folder, dst_dir_fd=folder)


def place(folder: int, one: str, other: str) -> None:
    """Give `one` the name `other`, which must be free: else `FileExistsError`. Raises `OSError`."""
    if _renamed(folder, one, other, _NO_REPLACE):
        return
    os.link(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    os.unlink(one, dir_fd=folder)


def _renamed(folder: int, one: str, other: str, how: int) -> bool:
    """False where there is no such call. Raises `OSError`."""
    call = _renameat2()
    if call is None:
        return False
    if call(folder, os.fsencode(one), folder, os.fsencode(other), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NO_SUCH_CALL:
        return False
    raise OSError(number, os.strerror(number), other)


@cache
def _renameat2() -> Any:
    """The C library's function; None where there is none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
