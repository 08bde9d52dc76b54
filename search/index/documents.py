"""convert_documents(): the texts of new and changed documents, made before an update takes the writer lock."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.conversion.convert import Derived, convert, converter
from search.documents.conversion.kept import KeptTexts, document_digest
from search.documents.scan import FoundFile, ScanLimits, scan_collection
from search.errors import Cancelled, IndexUnavailable
from search.file_types import is_converted, is_writable
from search.index.files import KnownFile, known_collections, known_files
from search.index.pool import reading
from search.index.report import IsCancelled, Progress, ReportProgress
from search.sentences import sentence
from search.spec import CollectionSpec, IndexSpec

log = logging.getLogger(__name__)

CONVERT_SECONDS = 60.0
"""For one update; then it goes on with what there is, so that notes do not wait for a folder of books."""

Waiting = frozenset[tuple[str, str]]
"""Documents that have no text yet: their collection, and their path in it."""


class _Missing(NamedTuple):
    collection: CollectionSpec
    found: FoundFile


def convert_documents(
    spec: IndexSpec, *, progress: ReportProgress, cancelled: IsCancelled, seconds: float | None = None
) -> Waiting:
    """Convert what has no text yet, for about `seconds`; the answer is what is left for the next update.

    One document at a time, each in a process of its own. Raises `Cancelled`: what was converted by then is kept.
    """
    if not converter():
        return frozenset()
    texts = KeptTexts(spec.path)
    missing = list(_missing(spec, texts))
    end = time.monotonic() + (CONVERT_SECONDS if seconds is None else seconds)
    for done, (collection, found) in enumerate(missing):
        if time.monotonic() > end:
            return _left(missing[done:])
        if cancelled():
            raise Cancelled(sentence("the update was cancelled; files written before that stay indexed"))
        try:
            data = read_inside(collection.root, found.rel, ScanLimits().max_document_bytes)
        except (OSError, PathNotAllowed, FileTooLarge):
            continue  # the update names it
        digest = document_digest(data)
        try:
            if not texts.has(digest):
                texts.put(digest, convert(found.rel, data))
        except OSError as error:  # of the disk or of starting a process, not of the document
            log.warning("documents are converted later: %s", error, extra={"agent": spec.agent})
            return _left(missing[done:])
        progress(Progress(done + 1, len(missing), "files"))
    return frozenset()


def _left(missing: list[_Missing]) -> Waiting:
    return frozenset((one.collection.name, one.found.rel) for one in missing)


def kept_text(spec: IndexSpec, path: str) -> Derived | None:
    """The text of the document with this user-visible path, as the index was made from it; None: not converted yet."""
    try:
        with reading(spec.path) as connection:
            digest = connection.execute("SELECT hash FROM files WHERE path = ?", (path,)).get
    except IndexUnavailable:
        return None
    return KeptTexts(spec.path).get(digest) if digest is not None else None


def _missing(spec: IndexSpec, texts: KeptTexts) -> Iterator[_Missing]:
    for collection in spec.collections:
        if collection.source != "memory" or all(map(is_writable, collection.patterns)):
            continue  # patterns such as **/*.md name no document
        known = _known(spec, collection)
        for found in scan_collection(collection).files:
            if not is_converted(found.rel):
                continue
            file = known.get(found.rel)
            stamp = (found.mtime_ns, found.size, found.inode)
            if file is None or not file.looks_unchanged(stamp) or not texts.has(file.hash):
                yield _Missing(collection, found)


def _known(spec: IndexSpec, collection: CollectionSpec) -> dict[str, KnownFile]:
    if not os.path.exists(spec.path):  # noqa: PTH110 - to be made by the update
        return {}
    try:
        with reading(spec.path) as connection:
            entry = known_collections(connection).get(collection.name)
            return known_files(connection, entry[0]) if entry is not None else {}
    except IndexUnavailable:
        return {}
