"""get_document() and multi_get(): read lines of a file that the agent's collections allow, and nothing else."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

from tenacity import retry, retry_if_exception, stop_after_attempt, wait_fixed

from search.citations import Pages, cited_lines, cited_pages
from search.documents.contain import FileTooLarge, PathNotAllowed, open_inside, read_inside
from search.documents.conversion.convert import NO_CONVERTER, WAITS, Derived, converter
from search.documents.lines import count_lines, decode, split_lines
from search.documents.locate import Location, check_transcript, locate
from search.documents.patterns import Globs
from search.documents.scan import ScanLimits, scan_collection
from search.documents.window import cut_window
from search.errors import BadQuery
from search.file_types import is_converted
from search.index.documents import kept_text
from search.sentences import sentence
from search.spec import IndexSpec, SessionFilter

DEFAULT_LINES = 120
MAX_CHARS = 12_000
MAX_FILES = 200
"""Files that one multi_get answers."""
MAX_TOTAL_BYTES = 8 * 1024 * 1024
"""Bytes that all files of one multi_get may have together."""

_TRANSIENT = frozenset({errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EDEADLK, errno.ESTALE})


@dataclass(frozen=True, slots=True)
class GetResult:
    """`not_found` and `error` carry an empty text; `error` has a `code`.

    Codes: `path_not_allowed`, `read_failed`, and `too_large` for a file beyond the byte limit, or for the files that
    one multi_get had to leave out. `lines` counts the lines in `text`. A truncated text ends with a notice in
    brackets that is not part of the file; `next_from` and `next_offset` (characters into that line) continue it.
    """

    status: Literal["ok", "not_found", "error"]
    path: str
    text: str = ""
    from_line: int = 1
    lines: int = 0
    total_lines: int = 0
    truncated: bool = False
    next_from: int | None = None
    next_offset: int | None = None
    code: str | None = None
    error: str | None = None
    derived: bool = False
    """The text was derived from a document, which is never written; its lines are those of the derived text."""
    pages: Pages | None = None
    """First and last page of the text, where the document has pages."""
    total_pages: int = 0


class _Found(NamedTuple):
    """User-visible path and text; where it was derived, how."""

    path: str
    text: str
    derived: Derived | None = None

    def facts(self, first: int, lines: int) -> _Facts:
        if self.derived is None:
            return {"derived": False, "pages": None, "total_pages": 0}
        pages = self.derived.pages_of(first, first + max(0, lines - 1))
        return {"derived": True, "pages": pages, "total_pages": len(self.derived.pages)}


class _Facts(TypedDict):
    derived: bool
    pages: Pages | None
    total_pages: int


ResolveDocid = Callable[[str], str | None]
"""`abc123` → the user-visible path it stands for, or None."""


def get_document(
    spec: IndexSpec,
    path: str,
    *,
    from_line: int = 1,
    lines: int | None = None,
    offset: int = 0,
    max_chars: int = MAX_CHARS,
    resolve_docid: ResolveDocid | None = None,
    visible_session: SessionFilter | None = None,
) -> GetResult:
    """Read `lines` lines (default 120) from 1-based `from_line`; semantics of memory_get.

    A path may be a citation (`MEMORY.md#L3-L7`, `books/garden.pdf#page=3`): its lines are read unless `from_line` or
    `lines` say otherwise.
    `offset` skips characters of the first line, to continue inside a line longer than `max_chars`. `max_chars` counts
    the file's own characters, not the notice. Transcripts are read where `visible_session` says so, and without it not
    at all. Raises `BadQuery` for numbers that make no sense; every fault of the
    path or the file is in the result.
    """
    if from_line < 1 or offset < 0 or max_chars < 1 or (lines is not None and lines < 1):
        raise BadQuery(
            sentence("from, lines and max_chars start at 1, offset at 0"),
            hint=sentence("Leave them out to read from the start."),
        )
    path, first, last = cited_lines(path)
    if first is not None and last is not None and from_line == 1 and lines is None:
        from_line, lines = first, last - first + 1
    wanted = path
    path, cited = cited_pages(path) if first is None else (path, None)
    found = _read(spec, path, ScanLimits().max_file_bytes, resolve_docid, visible_session)
    if isinstance(found, GetResult) and cited:
        found = _read(spec, wanted, ScanLimits().max_file_bytes, resolve_docid, visible_session)
    if isinstance(found, GetResult):
        return found
    path, text, derived = found
    if cited and derived is not None and from_line == 1 and lines is None:
        from_line, lines = derived.lines_of(cited)
    total = count_lines(text)
    window = cut_window(
        split_lines(text)[:total], from_line=from_line, count=lines or DEFAULT_LINES, offset=offset, max_chars=max_chars
    )
    return GetResult(
        status="ok",
        path=path,
        text=window.text + _notice(window.next_from, window.next_offset),
        from_line=from_line,
        lines=window.lines,
        total_lines=total,
        truncated=window.next_from is not None,
        next_from=window.next_from,
        next_offset=window.next_offset,
        **found.facts(from_line, window.lines),
    )


def multi_get(
    spec: IndexSpec,
    *,
    paths: Sequence[str] = (),
    glob: str | None = None,
    max_bytes: int = 64 * 1024,
    resolve_docid: ResolveDocid | None = None,
) -> tuple[GetResult, ...]:
    """Several whole files by path list or glob; a bad name is reported in its own result, the rest is returned.

    The glob is matched against user-visible paths. Files beyond 200, or beyond 8 MiB together, get the code
    `too_large`. Raises `BadQuery` unless exactly one of `paths` and `glob` is given, and for a bad glob.
    """
    if bool(paths) == (glob is not None):
        raise BadQuery(sentence("give either paths or a glob"), hint=sentence("For example memory/2026-09-*.md."))
    if max_bytes < 1:
        raise BadQuery(sentence("max_bytes starts at 1"), hint=sentence("Leave it out for 65,536."))
    names = list(dict.fromkeys(paths)) if glob is None else _matching(spec, glob)
    results: list[GetResult] = []
    left = MAX_TOTAL_BYTES
    for place, name in enumerate(names):
        if place >= MAX_FILES:
            results.append(
                _error(
                    name,
                    "too_large",
                    sentence("one call answers at most {max_files} files; ask for this one again", max_files=MAX_FILES),
                )
            )
            continue
        result = _whole_file(spec, name, min(max_bytes, left), resolve_docid)
        left = max(0, left - len(result.text.encode()))
        results.append(result)
    return tuple(results)


def _whole_file(spec: IndexSpec, path: str, max_bytes: int, resolve_docid: ResolveDocid | None) -> GetResult:
    path, first, last = cited_lines(path)
    found = _read(spec, path, max_bytes, resolve_docid)
    if isinstance(found, GetResult):
        return found
    path, text, _ = found
    total = count_lines(text)
    first = first or 1
    kept = split_lines(text)[:total][first - 1 : last]
    return GetResult(
        "ok",
        path,
        "\n".join(kept),
        from_line=first,
        lines=len(kept),
        total_lines=total,
        **found.facts(first, len(kept)),
    )


def _matching(spec: IndexSpec, glob: str) -> list[str]:
    pattern = Globs([glob])
    return [
        path
        for collection in spec.collections
        if collection.source == "memory"
        for file in scan_collection(collection).files
        if pattern.match(path := collection.prefix + file.rel)
    ]


def _read(
    spec: IndexSpec,
    path: str,
    max_bytes: int,
    resolve_docid: ResolveDocid | None,
    visible_session: SessionFilter | None = None,
) -> _Found | GetResult:
    """User-visible path and decoded text, or the result that says why there is none."""
    if path.startswith("#"):
        resolved = resolve_docid(path[1:]) if resolve_docid else None
        if resolved is None:
            return GetResult("not_found", path)
        path = resolved
    try:
        location = locate(spec, path, transcripts=visible_session is not None)
        if is_converted(location.rel):
            return _derived(spec, path, location, max_bytes)
        text = decode(_read_bytes(location, max_bytes))[0]
        if location.collection.source == "sessions" and visible_session is not None:
            check_transcript(path, text, visible_session)
    except PathNotAllowed as error:
        return _error(path, error.code, f"{error.message}. {error.hint}")
    except FileTooLarge as error:
        return _error(path, error.code, sentence("{message}. Read it in parts with get.", message=error.message))
    except FileNotFoundError:
        return GetResult("not_found", path)
    except OSError as error:
        return _error(path, "read_failed", sentence("the file cannot be read: {strerror}", strerror=error.strerror))
    return _Found(path, text)


def _derived(spec: IndexSpec, path: str, location: Location, max_bytes: int) -> _Found | GetResult:
    """What the index was made from: its lines are those of the citations. Raises like `open_inside`."""
    os.close(open_inside(location.collection.root, location.rel))
    derived = kept_text(spec, location.collection.prefix + location.rel)
    problem = (WAITS if converter() else NO_CONVERTER) if derived is None else derived.problem
    if derived is None or problem:
        return _error(path, "read_failed", sentence("the document has no text here: {problem}", problem=problem))
    size = len(derived.text.encode())
    if size > max_bytes:
        raise FileTooLarge(path, size, max_bytes)
    return _Found(path, derived.text, derived)


def _transient(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _TRANSIENT


@retry(retry=retry_if_exception(_transient), stop=stop_after_attempt(4), wait=wait_fixed(0.05), reraise=True)
def _read_bytes(location: Location, max_bytes: int) -> bytes:
    return read_inside(location.collection.root, location.rel, max_bytes)


def _error(path: str, code: str, error: str) -> GetResult:
    return GetResult("error", path, code=code, error=error)


def _notice(next_from: int | None, next_offset: int | None) -> str:
    if next_from is None:
        return ""
    within = f" and offset={next_offset}" if next_offset is not None else ""
    return f"\n\n[truncated: continue with from={next_from}{within}]"
