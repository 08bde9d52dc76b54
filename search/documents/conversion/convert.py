"""convert(): the text of one document, made by a process that can do nothing else (`confined.py`)."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from search.documents.conversion import confined
from search.file_types import file_type
from search.sentences import sentence

SECONDS = 60.0
"""For one document, by the clock; its process also ends itself after as much computing."""
_PACKAGE = "kreuzberg"

NO_CONVERTER = sentence("documents of this type need the converter: run make documents, then restart")
NO_TEXT = sentence("no text in it: scanned pages and pictures are not read")
PROTECTED = sentence("protected by a password: save it without one")
WAITS = sentence("waits to be converted")


@dataclass(frozen=True, slots=True)
class Derived:
    """Text of a document. `pages`: the first line of each page, 1-based; none where there are no pages.

    `problem` says why there is no text.
    """

    text: str
    pages: tuple[int, ...] = ()
    problem: str = ""

    def pages_of(self, first: int, last: int) -> tuple[int, int] | None:
        """The first and last page of these lines."""
        if not self.pages:
            return None
        before = [sum(start <= line for start in self.pages) for line in (first, max(first, last))]
        return max(1, before[0]), max(1, before[1])

    def lines_of(self, pages: tuple[int, int]) -> tuple[int, int]:
        """The first line of these pages and how many lines they have; all of the text where there are no pages."""
        starts = [*self.pages, self.text.count("\n") + 2]
        first, last = (min(page, len(self.pages)) for page in pages)
        if not self.pages:
            return 1, starts[0]
        return starts[first - 1], max(1, starts[last] - starts[first - 1])


@cache
def converter() -> str:
    """Name and version of the converter; "" when the extra `documents` is not installed."""
    try:
        return f"{_PACKAGE}-{importlib.metadata.version(_PACKAGE)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def convert(name: str, data: bytes, *, seconds: float = SECONDS) -> Derived:
    """Never raises for what is in the file: `problem` says what went wrong, in words for the owner."""
    row = file_type(name)
    assert row is not None and row.mime
    with tempfile.TemporaryDirectory(prefix="memory-document-") as folder, tempfile.TemporaryFile() as output:
        source = Path(folder, "document")
        source.write_bytes(data)
        with source.open("rb") as given:
            process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-I", confined.__file__, row.mime],
                stdin=given,
                stdout=output,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                # One thread: more would compete with searches, and reserve memory for each processor.
                env={"HOME": folder, "TMPDIR": folder, "RAYON_NUM_THREADS": "1", "TOKIO_WORKER_THREADS": "1",
                     "MALLOC_ARENA_MAX": "2"},
                start_new_session=True,
            )  # fmt: skip
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return Derived("", problem=_too_long(seconds))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return _read(code, output.read())


def _read(code: int, output: bytes) -> Derived:
    head, _, body = output.partition(b"\n")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Derived("", problem=_too_long(confined.CPU_SECONDS))
    try:
        said = json.loads(head)
    except ValueError:  # it crashed: a bound of memory, or a fault of the converter
        said = {"problem": "memory"}
    problem = said.get("problem", "")
    text = body.decode("utf-8", "replace")
    if not problem:
        return Derived(text, tuple(said["pages"])) if text.strip() else Derived("", problem=NO_TEXT)
    if problem == "memory":
        problem = sentence("cannot be converted: it needs too much memory, or is damaged")
    elif problem == "output":
        problem = sentence("cannot be converted: its text is longer than 16 MB; split it")
    elif "password" in problem.lower() or "encrypted" in problem.lower():
        problem = PROTECTED
    else:
        problem = sentence(
            "cannot be converted, it may be damaged: {reason}", reason=" ".join(problem.split(": ")[0].split())[:200]
        )
    return Derived("", problem=problem)


def _too_long(seconds: float) -> str:
    return sentence("cannot be converted within {seconds:.0f} seconds; split it", seconds=seconds)
