"""The one table of file types: how each is read, and whether it may be written. A new type is one row."""

from __future__ import annotations

from typing import Literal, NamedTuple

HowRead = Literal["markdown", "text", "converted", "renamed"]
"""`markdown` and `text`: as the file lies on disk. `converted`: by its text, which is derived from it
(documents/conversion). `renamed`: only after it got the ending `.md`."""


class FileType(NamedTuple):
    """`writable`: the appliance may write such files. `document`: taken by collections of documents, never written."""

    suffix: str
    read: HowRead
    writable: bool
    document: bool
    mime: str = ""
    """Of types that are converted: what the converter takes the bytes for."""


_OFFICE = "application/vnd.openxmlformats-officedocument"
MARKDOWN = ".md"

FILE_TYPES = (
    FileType(MARKDOWN, "markdown", writable=True, document=False),
    FileType(".markdown", "renamed", writable=False, document=False),
    FileType(".mdown", "renamed", writable=False, document=False),
    FileType(".mkdn", "renamed", writable=False, document=False),
    FileType(".mkd", "renamed", writable=False, document=False),
    FileType(".txt", "text", writable=False, document=True),
    FileType(".org", "text", writable=False, document=True),
    FileType(".rst", "text", writable=False, document=True),
    FileType(".pdf", "converted", writable=False, document=True, mime="application/pdf"),
    FileType(".docx", "converted", writable=False, document=True, mime=f"{_OFFICE}.wordprocessingml.document"),
    FileType(".pptx", "converted", writable=False, document=True, mime=f"{_OFFICE}.presentationml.presentation"),
    FileType(".html", "converted", writable=False, document=True, mime="text/html"),
    FileType(".htm", "converted", writable=False, document=True, mime="text/html"),
    FileType(".epub", "converted", writable=False, document=True, mime="application/epub+zip"),
    FileType(".eml", "converted", writable=False, document=True, mime="message/rfc822"),
)
_BY_SUFFIX = {row.suffix: row for row in FILE_TYPES}
ANY_SUFFIX = "|".join(row.suffix[1:] for row in FILE_TYPES if row.read != "renamed")
"""Of files that are read, for regular expressions, without the dot."""


def file_type(name: str) -> FileType | None:
    """The row of a file that is read under this name or path; None for every other.

    The ending of Markdown is lower case; that of a document may be in any.
    """
    row = _row(name)
    if row is None or row.read == "renamed" or not (row.document or name.endswith(row.suffix)):
        return None
    return row


def is_document(name: str) -> bool:
    row = file_type(name)
    return row is not None and row.document


def is_converted(name: str) -> bool:
    """Whether the file is read by its derived text alone."""
    row = file_type(name)
    return row is not None and row.read == "converted"


def is_writable(name: str) -> bool:
    row = file_type(name)
    return row is not None and row.writable


def stem(name: str) -> str:
    """The name or path without the ending of a type that is read."""
    row = file_type(name)
    return name[: -len(row.suffix)] if row else name


def read_as(name: str) -> str:
    """The name under which a Markdown file would be read, where it ends otherwise or its case is another."""
    row = _row(name)
    return name[: -len(row.suffix)] + MARKDOWN if row is not None and not row.document else name


def matched_as(name: str) -> str:
    """The name that patterns are compared with as well: a document's ending in lower case."""
    row = file_type(name)
    return name[: -len(row.suffix)] + row.suffix if row else name


def _row(name: str) -> FileType | None:
    stem, dot, ending = name.rpartition(".")
    return _BY_SUFFIX.get(f".{ending.lower()}") if dot and stem and not stem.endswith("/") else None
