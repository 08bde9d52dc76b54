"""preview(): what a collection would take and what it would leave, before it is made: a bounded look at the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents.indexes.specs import collection_spec
from agents.models import Collection
from search.documents.contain import is_folder
from search.documents.scan import Glance, PassedOver, scan_collection
from search.outcome import Problem
from search.spec import CollectionSpec

MOST_ENTRIES = 20_000
MOST_SECONDS = 0.5
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class PreviewFile:
    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Preview:
    """`files` and `problems` are the first of so many; `complete` is False when the look had to end before the folder
    did, and the numbers are then at least so many. `exists` is False for a folder that is still to come."""

    folder: str
    exists: bool
    files: tuple[PreviewFile, ...]
    count: int
    size: int
    problems: tuple[Problem, ...]
    problem_count: int
    passed_over: Mapping[PassedOver, int]
    complete: bool


def preview(collection: Collection) -> Preview:
    """The same scan as an update's, of a collection that may be stored or a draft."""
    return preview_of(collection_spec(collection.agent, collection))


def preview_of(spec: CollectionSpec) -> Preview:
    glance = Glance(MOST_ENTRIES, MOST_SECONDS)
    found = scan_collection(spec, glance=glance)
    return Preview(
        folder=str(spec.root),
        exists=is_folder(spec.root),
        files=tuple(PreviewFile(file.rel, file.size) for file in found.files[:MOST_SHOWN]),
        count=len(found.files),
        size=sum(file.size for file in found.files),
        problems=tuple(found.problems[:MOST_SHOWN]),
        problem_count=len(found.problems),
        passed_over=dict(glance.passed_over),
        complete=glance.complete,
    )
