"""From a path as users write it to the collection and root-relative path it stands for, or a refusal."""

from __future__ import annotations

from typing import NamedTuple

from search.documents.contain import PathNotAllowed, shown, spelled, split_path
from search.documents.front_matter import read_front_matter
from search.documents.lines import split_lines
from search.documents.patterns import selection
from search.file_types import is_writable
from search.sentences import sentence
from search.spec import CollectionSpec, IndexSpec, SessionFilter

_READABLE_ROOTS = frozenset({"memory.md", "user.md", "dreams.md"})
_HINT = sentence("Readable are MEMORY.md, USER.md, DREAMS.md, memory/**/*.md and <collection>/<path>.")


class Location(NamedTuple):
    collection: CollectionSpec
    rel: str


def locate(spec: IndexSpec, path: str, *, transcripts: bool = False) -> Location:
    """Where a user-visible path lies. Only names are looked at, and on the disk how they are written (NFC or NFD);
    opening it still goes through `open_inside`.

    Without a collection's prefix a path belongs to the built-in collection (prefix ""). Raises `PathNotAllowed` for
    everything that the collections do not cover, and unless `transcripts` for those of conversations: whoever lets
    them be read must also ask `check_transcript`.
    """
    split_path(path)
    for collection in spec.collections:
        if collection.prefix and path.startswith(collection.prefix):
            rel = path.removeprefix(collection.prefix)
            if (transcripts or collection.source == "memory") and rel and selection(collection).takes(rel):
                return Location(collection, spelled(collection.root, rel))
            raise _refused(path)
    for collection in spec.collections:
        if not collection.prefix and collection.source == "memory" and _builtin_takes(collection, path):
            return Location(collection, spelled(collection.root, path))
    raise _refused(path)


def check_transcript(path: str, text: str, visible: SessionFilter) -> None:
    """Raises `PathNotAllowed`, the same as for any other path, unless the conversation in `text` may be seen."""
    if not visible(read_front_matter(split_lines(text)).session):
        raise _refused(path)


def _builtin_takes(collection: CollectionSpec, rel: str) -> bool:
    """The built-in collection's files, its diary, and every visible note below memory/, whatever the patterns are."""
    if rel.lower() in _READABLE_ROOTS:
        return True
    chosen = selection(collection)
    return chosen.takes(rel) or (rel.startswith("memory/") and is_writable(rel) and not chosen.ignores(rel))


def _refused(path: str) -> PathNotAllowed:
    return PathNotAllowed(
        sentence("{shown} is not a file that this agent's collections allow", shown=shown(path)), hint=_HINT
    )
