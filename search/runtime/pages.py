"""drop_pages(): give anonymous memory that holds nothing of value back to the operating system."""

from __future__ import annotations

import ctypes
import mmap
import sys

_MADV_DONTNEED = 4


def drop_pages(start: int, size: int) -> None:
    """Drop the whole pages inside the `size` bytes at address `start`; on Linux they read as zero afterwards.

    Does nothing on other systems, where dropping would only be a hint.
    """
    if sys.platform != "linux":
        return
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (start + size) // mmap.PAGESIZE * mmap.PAGESIZE
    if end > first:
        ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), _MADV_DONTNEED)
