"""exchange(): two files of one folder swap their names in one step, so that neither is lost."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Any

_EXCHANGE = 2
_NO_SUCH_CALL = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def exchange(folder: int, one: str, other: str) -> None:
    """Swap `one` and `other` in the folder of this descriptor. Raises `OSError`.

    Where the system or the file system cannot swap (macOS, some network shares) the old file keeps a second name
    while the new one takes its place: the same result, with a moment between the two steps.
    """
    call = _renameat2()
    if call is not None:
        if call(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0:
            return
        number = ctypes.get_errno()
        if number not in _NO_SUCH_CALL:
            raise OSError(number, os.strerror(number), other)
    aside = f"{one}.old"
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, one, src_dir_fd=folder, dst_dir_fd=folder)


@cache
def _renameat2() -> Any:
    """The C library's function; None where there is none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
