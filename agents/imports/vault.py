"""notes(): Markdown files under their own paths, and what lies beside them named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from agents.imports.found import Document, Found
from agents.imports.given import Given, read_given
from agents.imports.names import HIDDEN, file_name
from agents.imports.reading import no_export, others
from agents.workspace.reading import MAX_BYTES
from search.file_types import MARKDOWN
from search.sentences import sentence


def notes(given: Given, title: str, hint: str, detail: Callable[[bytes], str] | None = None) -> Iterator[Found]:
    """`detail` says of a note's content what the preview tells."""
    texts = [name for name in given.names if name.endswith(MARKDOWN)]
    if not texts:
        raise no_export(given, title, hint)
    top = _top(given)
    for name in texts:
        read = partial(read_given, given, name, MAX_BYTES)
        yield Document(name, f"{top}{name}", read, detail(read()) if detail else "")
    yield from others(given, set(texts), attachment)


def attachment(name: str) -> str:
    """Why a file that is no note stays out."""
    if name.endswith(".csv"):
        return sentence("a table: only Markdown is imported")
    return sentence("an attachment: only Markdown is imported, notes go on naming it")


def _top(given: Given) -> str:
    """The vault's own name, so that a folder and a zip of it are the same and two vaults are two."""
    heads = {name.partition("/")[0] for name in given.names}
    in_folder = len(heads) == 1 and "/" in given.names[0] and (".obsidian", HIDDEN) not in given.passed
    if in_folder and not given.path.is_dir():
        return ""
    return file_name(given.path.name.removesuffix(".zip")) + "/"
