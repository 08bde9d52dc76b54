"""Where a subcommand writes: its answer to stdout, as text or JSON, and remarks to stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from typing import Any

from django.core.management.base import OutputWrapper

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Failed(Exception):
    """The subcommand cannot do it: exit code 1 and this one line."""


@dataclass(frozen=True, slots=True)
class Output:
    out: OutputWrapper
    err: OutputWrapper
    as_json: bool = False

    def answer(self, value: Any) -> None:
        """The whole answer as one JSON document. Lone surrogates are escaped, everything else is shown as it is."""
        text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
        self.line(text)

    def line(self, text: str = "") -> None:
        try:
            self.out.write(_printable(text, self.out), ending="\n")
            self.out.flush()
        except BrokenPipeError:
            # The reader, such as `head`, has what it wanted. What is buffered still must not fail at the exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None

    def remark(self, text: str) -> None:
        self.err.write(_printable(text, self.err), style_func=str, ending="\n")

    @property
    def on_terminal(self) -> bool:
        return not self.as_json and sys.stderr.isatty()


def _printable(text: str, stream: OutputWrapper) -> str:
    """What the terminal's encoding cannot show is escaped instead of ending the command.

    On a terminal, control characters are shown and not obeyed: a note may hold codes that clear the screen or retitle
    the window. Into a file or a pipe everything goes as it is.
    """
    encoding = getattr(stream, "encoding", None) or sys.getdefaultencoding()
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text) if stream.isatty() else text
