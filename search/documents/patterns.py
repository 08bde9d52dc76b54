"""Globs over path components: which files a collection takes, and which folders are worth descending into."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from search.documents.contain import name_problem, shown
from search.documents.leftovers import leftover
from search.errors import BadQuery
from search.file_types import file_type, matched_as
from search.sentences import sentence
from search.spec import CollectionSpec

IGNORED_FOLDERS = frozenset(
    {".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__", ".openclaw-repair"}
)
MAX_PATTERN_CHARS = 500
MAX_PATTERN_PARTS = 32

States = frozenset[int]
"""Positions in a `Globs` program that are still alive after some path components."""

_ANY_FOLDERS = "**"
_ACCEPT = None
_Step = re.Pattern[str] | str | None


class BadPattern(BadQuery):
    """A glob that could never name a file below its root."""

    code = "bad_pattern"


class Globs:
    """Several globs run at once over path components, one component at a time.

    `*`, `?` and `[…]` stay within a component, `**` as a whole component stands for any number of folders, also
    none. Matching is case-sensitive. It runs as a set of states, so no pattern can make it slow.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Raises `BadPattern`."""
        self._program: list[_Step] = []
        starts: list[int] = []
        for pattern in patterns:
            starts.append(len(self._program))
            self._program.extend(_compile(pattern))
            self._program.append(_ACCEPT)
        self.start: States = self._closure(starts)
        self._accepting = frozenset(at for at, step in enumerate(self._program) if step is _ACCEPT)

    def step(self, states: States, name: str) -> States:
        """States after one more component. `ü` as one character or as two is the same name."""
        if not states:
            return states
        name = normal(name)
        following: list[int] = []
        for position in states:
            step = self._program[position]
            if step is _ACCEPT:
                continue
            if step == _ANY_FOLDERS:
                following.append(position)
            elif step == name if isinstance(step, str) else step.match(name):
                following.append(position + 1)
        return self._closure(following) if following else frozenset()

    def accepts(self, states: States) -> bool:
        """Whether the components so far are a whole match."""
        return not self._accepting.isdisjoint(states)

    def alive(self, states: States) -> bool:
        """Whether more components could still make a match."""
        return not self._accepting.issuperset(states)

    def match(self, path: str) -> bool:
        """Whether the whole path, components separated by `/`, matches one of the globs."""
        states = self.start
        for name in path.split("/"):
            states = self.step(states, name)
        return self.accepts(states)

    def _closure(self, positions: Iterable[int]) -> States:
        reached: set[int] = set()
        for start in positions:
            position = start
            reached.add(position)
            while self._program[position] == _ANY_FOLDERS:
                position += 1
                reached.add(position)
        return frozenset(reached)


@dataclass(frozen=True)
class Selection:
    """What one collection takes: files of a type that is read and that a pattern matches, unless ignored or hidden."""

    patterns: Globs
    ignore: Globs
    documents: bool = True
    """Whether files other than Markdown are taken: conversations are Markdown alone."""

    def takes(self, rel: str) -> bool:
        """Whether the collection takes this root-relative path; says nothing about the file system."""
        named = self.patterns.match(rel) or self.patterns.match(matched_as(rel))
        return named and self.reads(rel) and not self.ignores(rel)

    def reads(self, name: str) -> bool:
        """Whether a file of this name or path is of a type that the collection reads."""
        row = file_type(name)
        return row is not None and (self.documents or not row.document)

    def ignores(self, rel: str) -> bool:
        """Whether a component is hidden or ignored by name, or an ignore glob matches the path or a folder above."""
        *folders, name = rel.split("/")
        if name.startswith(".") or leftover(name) or any(map(skipped_folder, folders)):
            return True
        states = self.ignore.start
        for part in (*folders, name):
            states = self.ignore.step(states, part)
            if self.ignore.accepts(states):
                return True
        return False


def skipped_folder(name: str) -> bool:
    """Folders that no collection descends into: machine state, tools, leftovers and everything hidden."""
    return name.startswith(".") or name in IGNORED_FOLDERS or leftover(name, folder=True)


def selection(spec: CollectionSpec) -> Selection:
    """The compiled patterns of a collection. Raises `BadPattern`."""
    return _selection(spec.patterns, spec.ignore, spec.source == "memory")


@lru_cache(maxsize=256)
def _selection(patterns: tuple[str, ...], ignore: tuple[str, ...], documents: bool) -> Selection:
    return Selection(Globs(patterns), Globs(ignore), documents)


def _compile(pattern: str) -> list[_Step]:
    parts = pattern.split("/")
    if len(pattern) > MAX_PATTERN_CHARS or len(parts) > MAX_PATTERN_PARTS:
        raise BadPattern(
            sentence("pattern {shown} is too long", shown=shown(pattern)),
            hint=sentence(
                "At most {max_pattern_chars} characters and {max_pattern_parts} components.",
                max_pattern_chars=MAX_PATTERN_CHARS,
                max_pattern_parts=MAX_PATTERN_PARTS,
            ),
        )
    for part in parts:
        problem = name_problem(part)
        if problem:
            raise BadPattern(
                sentence("pattern {shown}: {problem}", shown=shown(pattern), problem=problem),
                hint=sentence("Write it relative to the folder, such as **/*.md."),
            )
    return [_compile_part(part) for part in parts]


def normal(name: str) -> str:
    """The one form (NFC) in which names are compared."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _compile_part(part: str) -> _Step:
    part = normal(part)
    if part == _ANY_FOLDERS or not any(char in part for char in "*?["):
        return part
    # The standard library's translation uses atomic groups: no backtracking over earlier stars.
    return re.compile(fnmatch.translate(part))
