"""get_document() and multi_get(): read lines of a file that the agent's collections allow, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from search.spec import IndexSpec

DEFAULT_LINES = 120
MAX_CHARS = 12_000


@dataclass(frozen=True, slots=True)
class GetResult:
    """`not_found` and `error` carry an empty text; `error` has a `code` (`path_not_allowed`, `read_failed`)."""

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
) -> GetResult:
    """Read `lines` lines (default 120) from 1-based `from_line`; semantics of memory_get."""
    raise NotImplementedError


def multi_get(
    spec: IndexSpec,
    *,
    paths: Sequence[str] = (),
    glob: str | None = None,
    max_bytes: int = 64 * 1024,
    resolve_docid: ResolveDocid | None = None,
) -> tuple[GetResult, ...]:
    """Several files by path list or glob; a bad name is reported in its own result, the rest is returned."""
    raise NotImplementedError
