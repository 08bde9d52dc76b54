"""scan_collection(): the files of one collection as they lie on disk, and what had to be skipped."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from search.documents.contain import PathNotAllowed, name_problem, open_folder
from search.documents.leftovers import leftover
from search.documents.patterns import BadPattern, Selection, States, selection, skipped_folder
from search.file_types import is_converted, matched_as, read_as
from search.outcome import Problem
from search.sentences import sentence
from search.spec import MEMORY_PATTERNS, CollectionSpec


class FoundFile(NamedTuple):
    """A regular file. `rel` is root-relative with `/`; size in bytes."""

    rel: str
    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, rel: str, status: os.stat_result) -> FoundFile:
        """From what the system says, in numbers that an index can keep."""
        # Clocks gone wrong say years beyond 2262, and layered file systems use the top bit of an inode's number.
        mtime_ns = max(-_TOP_BIT, min(status.st_mtime_ns, _TOP_BIT - 1))
        return cls(rel, mtime_ns, status.st_size, status.st_ino % _TOP_BIT)


_TOP_BIT = 2**63


_ICLOUD = ".icloud"
_CURATED = {name.lower(): name for name in MEMORY_PATTERNS if "/" not in name}


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """Larger files and deeper folders become problems instead of work."""

    max_file_bytes: int = 16 * 1024 * 1024
    max_document_bytes: int = 64 * 1024 * 1024
    """Of those that are converted."""
    max_depth: int = 64


PassedOver = Literal["hidden", "tools", "unread_type", "pattern", "ignored"]
"""Why an entry of a folder is none of the collection's: nothing is wrong with it."""


@dataclass(slots=True)
class Glance:
    """Bounds a scan that only shows what a collection would take, and counts what that passes over.

    `complete` is False once a bound was reached: then the files found so far are some of them.
    """

    most_entries: int
    most_seconds: float
    passed_over: Counter[PassedOver] = field(default_factory=Counter)
    complete: bool = True
    _entries: int = 0
    _began: float = field(default_factory=time.monotonic)

    def goes_on(self) -> bool:
        self._entries += 1
        self.complete = self._entries <= self.most_entries and time.monotonic() - self._began <= self.most_seconds
        return self.complete


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan found. `files` is sorted by `rel`.

    `readable` is False when nothing can be said of the root. `unreadable` names the folders and files below it that
    could not be looked at: what was known of them stays valid, see `unknown`.
    """

    files: list[FoundFile]
    problems: list[Problem]
    readable: bool = True
    unreadable: tuple[str, ...] = ()

    def unknown(self, rel: str) -> bool:
        """Whether this scan cannot tell if `rel` exists, so that its absence from `files` means nothing."""
        return not self.readable or any(rel == lost or rel.startswith(f"{lost}/") for lost in self.unreadable)


class _Folder(NamedTuple):
    names: tuple[str, ...]
    wanted: States
    ignored: States


@dataclass(slots=True)
class _Findings:
    prefix: str
    glance: Glance | None = None
    files: list[FoundFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def skip(self, rel: str, problem: str) -> None:
        path = (self.prefix + rel).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        self.problems.append(Problem(path, problem))

    def pass_over(self, reason: PassedOver) -> None:
        if self.glance is not None:
            self.glance.passed_over[reason] += 1

    @property
    def enough(self) -> bool:
        return self.glance is not None and not self.glance.complete

    def lose(self, rel: str, error: OSError) -> None:
        self.skip(rel, sentence("cannot be read ({strerror}); what is indexed of it is kept", strerror=error.strerror))
        self.unreadable.append(rel)


def scan_collection(
    spec: CollectionSpec, limits: ScanLimits | None = None, *, glance: Glance | None = None
) -> ScanResult:
    """Walk the collection's root. Never raises for what lies on disk: everything skipped is a `Problem`.

    No symlink is followed, also none that replaces a folder during the walk. A folder that cannot be read is
    reported in `unreadable` and is not taken for an empty one. With a `glance` it may end early.
    """
    limits = limits or ScanLimits()
    try:
        chosen = selection(spec)
        os.close(open_folder(spec.root))
    except (BadPattern, PathNotAllowed) as error:
        return _unreadable_root(spec, error.message)
    except FileNotFoundError:
        return _unreadable_root(spec, sentence("the folder {root} does not exist", root=spec.root))
    except OSError as error:
        return _unreadable_root(
            spec, sentence("the folder {root} cannot be read: {strerror}", root=spec.root, strerror=error.strerror)
        )
    findings = _Findings(spec.prefix, glance)
    pending = [_Folder((), chosen.patterns.start, chosen.ignore.start)]
    while pending and not findings.enough:
        folder = pending.pop()
        try:
            pending.extend(_scan_folder(spec, chosen, limits, folder, findings))
        except FileNotFoundError:
            if not folder.names:
                return _unreadable_root(spec, sentence("the folder {root} vanished during the scan", root=spec.root))
        except PathNotAllowed as error:
            findings.skip("/".join(folder.names), error.message)
        except OSError as error:
            if not folder.names:
                return _unreadable_root(
                    spec,
                    sentence("the folder {root} cannot be read: {strerror}", root=spec.root, strerror=error.strerror),
                )
            findings.lose("/".join(folder.names), error)
    findings.files.sort()
    findings.problems.sort(key=lambda problem: problem.path)
    return ScanResult(findings.files, findings.problems, unreadable=tuple(sorted(findings.unreadable)))


def _unreadable_root(spec: CollectionSpec, problem: str) -> ScanResult:
    return ScanResult([], [Problem(spec.prefix or spec.name, problem)], readable=False)


def _scan_folder(
    spec: CollectionSpec, chosen: Selection, limits: ScanLimits, folder: _Folder, findings: _Findings
) -> list[_Folder]:
    """Add the folder's files to `findings`; answer the folders below it that may hold more."""
    below: list[_Folder] = []
    base = "".join(f"{name}/" for name in folder.names)
    patterns, ignore = chosen.patterns, chosen.ignore
    fd = open_folder(spec.root, folder.names)
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                if findings.glance is not None and not findings.glance.goes_on():
                    break
                name = entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                wanted = patterns.step(folder.wanted, name)
                if (other := matched_as(name)) != name:
                    wanted |= patterns.step(folder.wanted, other)
                matches = chosen.reads(name) and patterns.accepts(wanted)
                if leftover(name, folder=is_folder) and (is_folder or matches):
                    findings.skip(
                        base + name, sentence("left by a sync tool or a system, not read; rename it if it is a note")
                    )
                    continue
                away = name[1:].removesuffix(_ICLOUD) if name.startswith(".") and name.endswith(_ICLOUD) else ""
                if chosen.reads(away) and patterns.accepts(patterns.step(folder.wanted, away)):
                    findings.skip(base + name, sentence("lies in iCloud alone, so it cannot be read; download it"))
                    continue
                if name.startswith(".") or (is_folder and skipped_folder(name)):
                    findings.pass_over("hidden" if name.startswith(".") else "tools")
                    continue
                is_link = entry.is_symlink()
                meant = name if is_folder or is_link else _meant(name)
                if not (is_folder or is_link or chosen.reads(meant)):
                    findings.pass_over("unread_type")
                    continue
                descends = (is_folder or is_link) and patterns.alive(wanted)
                ignored = ignore.step(folder.ignored, name)
                left = ignore.accepts(ignored)
                if not (matches or left) and meant != name and patterns.accepts(patterns.step(folder.wanted, meant)):
                    findings.skip(
                        base + name, sentence("is not read under this name; rename it to {meant}", meant=meant)
                    )
                    continue
                if not (matches or descends) or left:
                    findings.pass_over("pattern" if not (matches or descends) else "ignored")
                    continue
                rel = base + name
                problem = name_problem(name)
                if problem:
                    findings.skip(rel, problem)
                elif is_link:
                    if matches or _leads_to_folder(entry):
                        findings.skip(rel, sentence("symlink, not followed"))
                elif is_folder:
                    if matches:
                        findings.skip(rel, sentence("is a folder, not a file"))
                    if len(folder.names) >= limits.max_depth:
                        findings.skip(
                            rel,
                            sentence("nested more than {max_depth} folders deep, not read", max_depth=limits.max_depth),
                        )
                    elif descends:
                        below.append(_Folder((*folder.names, name), wanted, ignored))
                elif matches:
                    _add_file(entry, rel, limits, findings)
    finally:
        os.close(fd)
    return below


def _meant(name: str) -> str:
    """The name under which a Markdown file would be read, where it ends otherwise or its case is another."""
    return _CURATED.get(name.lower()) or read_as(name)


def _leads_to_folder(link: os.DirEntry[str]) -> bool:
    try:
        return link.is_dir()
    except OSError:  # a loop, or a target that may not be looked at
        return False


def _add_file(entry: os.DirEntry[str], rel: str, limits: ScanLimits, findings: _Findings) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return  # removed since the listing
    except OSError as error:
        findings.lose(rel, error)
        return
    most = limits.max_document_bytes if is_converted(rel) else limits.max_file_bytes
    if not entry.is_file(follow_symlinks=False):
        findings.skip(rel, sentence("is not a regular file"))
    elif status.st_size > most:
        findings.skip(
            rel,
            sentence(
                "has {st_size:,} bytes, more than the limit of {max_file_bytes:,}; split it",
                st_size=status.st_size,
                max_file_bytes=most,
            ),
        )
    else:
        findings.files.append(FoundFile.of(rel, status))
