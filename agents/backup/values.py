"""What a backup is, as frozen values: the backup itself, a file in it, progress, and the outcome of a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from agents.core.errors import RuleError

FORMAT = 1
"""Of the store. A backup of a higher one is refused: only a newer version knows what is in it."""

Reason = Literal["request", "schedule", "before-migration"]


class BackupError(RuleError):
    """A backup cannot be made, found, read or restored (HTTP 409)."""

    code = "backup_failed"


@dataclass(frozen=True, slots=True)
class Backup:
    """One complete backup. `size` counts what it holds, `added` the bytes that the store grew by for it."""

    name: str
    made_at: datetime
    reason: str
    seconds: float
    files: int
    size: int
    added: int
    agents: tuple[str, ...]
    with_secrets: bool
    with_indexes: bool
    control_only: bool
    version: str
    migrations: dict[str, str]
    """Django app → its newest migration, of the control database that was copied."""
    data_dir: str
    """Where the data folder lay: paths below it are moved when it is restored elsewhere."""
    left_out: tuple[str, ...]
    """What could not be read, or lies outside, in words."""
    listing: tuple[str, ...]
    """Blocks that hold the list of files."""
    format: int
    path: Path


@dataclass(frozen=True, slots=True)
class StoredFile:
    """`path` is the place inside the backup, `seen` tells at the next backup whether the file is still the same."""

    path: str
    size: int
    mode: int
    mtime_ns: int
    seen: tuple[int, int, int]
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it has come. `total` 0: not known yet."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Verified:
    """Every block of the backup was read and compared with its name, and the databases in it were checked."""

    name: str
    files: int
    size: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


ReportProgress = Callable[[Progress], None]
IsCancelled = Callable[[], bool]
