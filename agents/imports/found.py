"""What a source finds in what it was given: documents, chats, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from agents.imports.given import Given
from search.documents.transcripts import Turn


@dataclass(frozen=True, slots=True)
class Document:
    """Becomes a Markdown file. `source` is its name in what was given, `target` its place below the tool's folder.

    `read` raises `OSError`, `PathNotAllowed` and `FileTooLarge` for this file alone, `Refused` for the whole import.
    """

    source: str
    target: str
    read: Callable[[], bytes]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """Becomes a transcript. `id` is the export's own; `left_out` says what of it stays out."""

    source: str
    id: str
    turns: tuple[Turn, ...]
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    source: str
    why: str


Found = Document | Chat | LeftOut


def document(source: str, target: str, said: str, detail: str = "") -> Document:
    """A document that the source makes itself."""
    data = said.strip().encode("utf-8", "replace") + b"\n"
    return Document(source, target, lambda: data, detail)


class Source(Protocol):
    def __call__(self, given: Given) -> Iterator[Found]:
        """Everything of one tool in what was given, the same at each call. Only reads.

        Raises `Invalid` when there is nothing of the tool, and `Refused` for what cannot be read to its end.
        """
