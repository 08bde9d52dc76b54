"""Importance, trigger and project comments: read from each line, and stripped from the text that is indexed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from search.documents.importance import parse_importance
from search.sentences import sentence

INVALID_PROJECT = "!invalid-project-annotation"
"""Project key of a chunk with a malformed project annotation: no active project ever equals it."""

# An opener without its end is matched too (group 3 is then None): a project annotation that was never closed must not
# make a private line public. The body stops at the next opener, so a line full of openers stays linear.
_ANNOTATION = re.compile(
    r"<!--\s*+(importance|trigger|project)\s*+[:：]((?:(?!-->|<!--).)*+)(-->)?[ \t]*+", re.IGNORECASE | re.DOTALL
)
MOST_KEYS = 200
LONGEST_KEY = 1_000
"""Triggers and project keys are kept with every chunk of their line, which may be long: neither goes without an end."""
_TRIGGER_SEPARATOR = re.compile(r"[,;，；、]")


@dataclass(frozen=True, slots=True)
class Annotation:
    """What comments say of a line, or together of a range of lines."""

    importance: int | None = None
    triggers: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()

    @property
    def excluded(self) -> bool:
        """Whether a malformed project annotation hides these lines from every result."""
        return INVALID_PROJECT in self.projects


class Annotations:
    """The annotations of one file by 1-based line number."""

    def __init__(self, by_line: dict[int, Annotation], overfull: int = 0) -> None:
        self._by_line = by_line
        self._lines = sorted(by_line)
        self.problem = (
            sentence(
                "line {overfull}: of a line's triggers and project keys the first {most_keys} of up to "
                "{longest_key} characters count; with more project keys it is in no result",
                overfull=overfull,
                most_keys=MOST_KEYS,
                longest_key=LONGEST_KEY,
            )
            if overfull
            else ""
        )
        """In words for the owner; "" when every annotation counts."""

    def between(self, start_line: int, end_line: int) -> Annotation:
        """Everything said on the lines of an inclusive range: the highest importance, all triggers, all projects."""
        found = self._lines[bisect_left(self._lines, start_line) : bisect_right(self._lines, end_line)]
        return merge([self._by_line[line] for line in found]) if found else _NOTHING


_NOTHING = Annotation()


def strip_annotations(lines: Sequence[str], *, curated: bool) -> tuple[list[str], Annotations]:
    """Lines without annotation comments, as many as before, and what the comments said.

    Triggers count only in curated files. Importance and triggers count only on a line that ends with a comment.
    """
    by_line: dict[int, Annotation] = {}
    overfull = 0
    stripped = list(lines)
    for index in [index for index, line in enumerate(lines) if "<!--" in line]:
        annotation, rest = _read_line(lines[index], curated)
        bounded = _bounded(annotation)
        if bounded != annotation:
            annotation, overfull = bounded, overfull or index + 1
        stripped[index] = rest
        if annotation != _NOTHING:
            by_line[index + 1] = annotation
    return stripped, Annotations(by_line, overfull)


def merge(annotations: Sequence[Annotation]) -> Annotation:
    """One annotation out of several; an invalid project key hides the others."""
    importances = [found.importance for found in annotations if found.importance is not None]
    projects = dict.fromkeys(key for found in annotations for key in found.projects)
    return Annotation(
        importance=max(importances, default=None),
        triggers=_distinct([trigger for found in annotations for trigger in found.triggers]),
        projects=(INVALID_PROJECT,) if INVALID_PROJECT in projects else tuple(projects),
    )


def normalise_project_key(key: str) -> str | None:
    """A project key as keys are compared: the part before the first `/` in lower case, `path:` keys as they are.

    None for a key that cannot be one: empty, longer than 1,000 characters, or with a line break, `<` or `>`.
    """
    key = key.strip()
    if not key or len(key) > LONGEST_KEY or any(char in key for char in "\r\n<>"):
        return None
    if key.startswith("path:"):
        return key
    head, slash, tail = key.partition("/")
    return f"{head.lower()}{slash}{tail}"


def _read_line(line: str, curated: bool) -> tuple[Annotation, str]:
    ends_with_comment = line.rstrip().endswith("-->")
    found: list[Annotation] = []

    def take(match: re.Match[str]) -> str:
        name, body, closed = match[1].lower(), match[2], match[3]
        if name == "project":
            found.append(Annotation(projects=_projects(body) if closed else (INVALID_PROJECT,)))
        elif closed and ends_with_comment and name == "importance":
            found.append(Annotation(importance=parse_importance(body)))
        elif closed and ends_with_comment and curated:
            found.append(Annotation(triggers=_distinct(_TRIGGER_SEPARATOR.split(body))))
        return "" if closed else match[0]

    rest = _ANNOTATION.sub(take, line)
    return merge(found), rest if rest == line else rest.rstrip()


def _bounded(annotation: Annotation) -> Annotation:
    """Fewer triggers fire less; fewer project keys would let a line be seen where it must not: then it is hidden."""
    triggers = tuple(trigger for trigger in annotation.triggers if len(trigger) <= LONGEST_KEY)[:MOST_KEYS]
    hidden = len(annotation.projects) > MOST_KEYS
    return replace(annotation, triggers=triggers, projects=(INVALID_PROJECT,) if hidden else annotation.projects)


def _projects(body: str) -> tuple[str, ...]:
    keys = [normalise_project_key(key) for key in body.split(";")]
    valid = tuple(dict.fromkeys(key for key in keys if key is not None))
    return valid if len(valid) > 0 and None not in keys else (INVALID_PROJECT,)


def _distinct(triggers: Sequence[str]) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for trigger in triggers:
        words = " ".join(trigger.split())
        if words:
            distinct.setdefault(words.casefold(), words)
    return tuple(distinct.values())
