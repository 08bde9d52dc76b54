"""The supervisor, as a program: supervisord, which does not die of a full disk.

When it cannot write a log it says so on stderr. When that is a file on the same disk, saying so fails as well, and the
supervisor ends and takes every program with it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TextIO

from supervisor import supervisord


class Forgiving:
    """A stream on which nothing fails; what cannot be written is lost."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()


def main() -> None:
    sys.stdout, sys.stderr = Forgiving(sys.stdout), Forgiving(sys.stderr)
    supervisord.main()


if __name__ == "__main__":
    main()
