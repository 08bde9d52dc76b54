"""Where a subcommand writes: its answer to stdout, as text or JSON, and remarks to stderr."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from django.core.management.base import OutputWrapper


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
    """What the terminal's encoding cannot show is escaped instead of ending the command."""
    encoding = getattr(stream, "encoding", None) or sys.getdefaultencoding()
    return text.encode(encoding, "backslashreplace").decode(encoding)
