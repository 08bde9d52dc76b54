"""An agent's files as a person reads and edits them: the tree, any file its collections allow, and a careful save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.access.privacy import visible_session
from agents.core.actors import Caller
from agents.core.errors import Invalid, NotFound
from agents.files.history import save_file
from agents.indexes.specs import index_spec, scope_of
from agents.memory.opening import gate
from agents.memory.reads import Denied
from agents.models import Agent
from agents.workspace import Replaced
from agents.workspace.places import checked_place
from agents.workspace.reading import MAX_BYTES, digest_of
from search.citations import cited_lines
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.lines import decode
from search.documents.locate import Location, check_transcript, locate
from search.file_types import is_converted
from search.get import get_document
from search.index import reader, tree
from search.index.report import FileEntry
from search.index.tree import Folder
from search.sentences import ended, sentence
from search.spec import IndexSpec, Source

MOST_EDITED_BYTES = 512 * 1024
"""A longer file is no note; it is edited where it lies."""


Fixed = Literal["", "derived", "collection", "place", "lossy", "long"]
"""Why a file is not edited here: its text is derived from a document, or it is another collection's, no place for
notes, not UTF-8, or too long."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole file. `hash` is what a save must name. `lossy`: some bytes are not UTF-8 and are shown as U+FFFD.

    `prefix` begins every path of its collection.
    """

    path: str
    text: str
    data: bytes
    hash: str
    collection: str
    prefix: str
    source: Source
    lossy: bool
    fixed: Fixed = ""


def folder(agent: Agent, path: str = "", *, limit: int = 200, offset: int = 0) -> Folder:
    """One folder of the tree, "" for its top, as the index last saw it."""
    return tree.list_folder(index_spec(agent), path, limit=limit, offset=offset)


def named(agent: Agent, words: str, *, limit: int = 200) -> tuple[FileEntry, ...]:
    """Files whose path holds every one of these words."""
    return tree.find_names(index_spec(agent), words, limit=limit)


def path_of_docid(agent: Agent, docid: str) -> str | None:
    return reader.path_of_docid(index_spec(agent), docid)


def open_document(*, agent: Agent, caller: Caller, path: str) -> Document | Denied:
    """A file of any collection. Raises `NotFound`, and `Invalid` for a path that the collections do not allow."""
    decision = gate(agent, caller, None, "file")
    if not decision.allowed:
        return Denied(decision)
    spec = index_spec(agent)
    try:
        path = cited_lines(path)[0]
        location = locate(spec, path, transcripts=True)
        derived = is_converted(location.rel)
        data = (
            _derived_text(spec, location) if derived else read_inside(location.collection.root, location.rel, MAX_BYTES)
        )
        text, lossy = decode(data)
        if location.collection.source == "sessions":
            check_transcript(path, text, visible_session(scope_of(agent), decision))
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(
            sentence("There is no file {path}.", path=path), hint=sentence("It may have been moved or deleted since.")
        ) from error
    except (PathNotAllowed, FileTooLarge) as error:
        code = "path_not_allowed" if isinstance(error, PathNotAllowed) else ""
        raise Invalid(ended(error.message), hint=error.hint, field="path", code=code) from error
    except OSError as error:
        raise Invalid(
            sentence("{path} cannot be read: {strerror}.", path=path, strerror=error.strerror),
            hint=sentence("See to the file's rights."),
        ) from error
    collection = location.collection
    return Document(
        path=path,
        text=text,
        data=data,
        hash=digest_of(data),
        collection=collection.name,
        prefix=collection.prefix,
        source=collection.source,
        lossy=lossy,
        fixed="derived" if derived else _fixed(location, path, len(data), lossy=lossy),
    )


def _derived_text(spec: IndexSpec, location: Location) -> bytes:
    """Raises `Invalid` where there is none."""
    found = get_document(spec, location.collection.prefix + location.rel, max_chars=MAX_BYTES, lines=MAX_BYTES)
    if found.status == "not_found":
        raise FileNotFoundError
    if found.status != "ok":
        raise Invalid(ended(found.error or ""), hint=sentence("See the problems of its collection."), field="path")
    return found.text.encode()


def edit_document(*, agent: Agent, caller: Caller, path: str, text: str, expected_hash: str) -> Replaced:
    """What came out of a form's field, over the version that was read: its ends of lines are the file's own.

    Raises like `save_file`: `Conflict` with the code `file_changed` when somebody has saved it meanwhile.
    """
    # A form sends every end of line as CR LF.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return save_file(agent=agent, caller=caller, path=path, text=text, expected_hash=expected_hash)


def _fixed(location: Location, path: str, size: int, *, lossy: bool) -> Fixed:
    if location.collection.prefix:
        return "collection"
    try:
        checked_place(path)
    except Invalid:
        return "place"
    if lossy:
        return "lossy"
    return "long" if size > MOST_EDITED_BYTES else ""
