"""Totals of several processes in one folder: each writes a file of its own, readers add them up.

A file is replaced as a whole, so a full disk or a crash costs the last seconds' counts and nothing else. What a process
counted stays when it has gone: its file is added to `past.json` when another one starts. Every total that was ever read
can be read again, so a counter never falls while the server runs.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client import CollectorRegistry

Sample = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name and its sorted labels."""
Totals = dict[Sample, float]

GONE_SECONDS = 600.0
"""A file that was not touched for this long is a dead process's."""
PAST = "past.json"
LOCK = ".lock"


def totals_of(registry: CollectorRegistry) -> Totals:
    found: Totals = {}
    for family in registry.collect():
        for sample in family.samples:
            found[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return found


@dataclass(frozen=True, slots=True)
class _Kept:
    """One file's content. `added`: the files whose totals it holds already, though they may still lie beside it."""

    totals: Totals
    added: frozenset[str] = field(default_factory=frozenset)


class SharedTotals:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, totals: Totals) -> None:
        """Raises OSError when it cannot be written; what was there before stays."""
        self._write(f"{name}.json", _Kept(totals))

    def read(self) -> Totals:
        """The sum of everything in the folder; a file that is damaged counts as none."""
        files = {path.name: kept for path in self._files() if (kept := _read(path)) is not None}
        # Last: whatever was moved into it meanwhile is then found there, and not counted twice.
        past = _read(self.folder / PAST) or _Kept({})
        return _sum([past.totals, *(kept.totals for name, kept in files.items() if name not in past.added)])

    def add_up_the_dead(self) -> None:
        """Move the totals of processes that have gone into one file. Raises OSError when it cannot be written."""
        with self._lock():
            past = _read(self.folder / PAST) or _Kept({})
            for name in past.added:
                (self.folder / name).unlink(missing_ok=True)
            gone = [path for path in self._files() if time.time() - path.stat().st_mtime > GONE_SECONDS]
            dead = {path: kept for path in gone if (kept := _read(path)) is not None}
            together = _sum([past.totals, *(kept.totals for kept in dead.values())])
            self._write(PAST, _Kept(together, frozenset(path.name for path in gone)))
            for path in gone:
                path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return [path for path in self.folder.glob("*.json") if path.name != PAST]

    def _write(self, name: str, kept: _Kept) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.folder / f"{name}.{os.getpid()}.part"
        samples = [[name, dict(labels), value] for (name, labels), value in kept.totals.items()]
        try:
            beside.write_text(json.dumps({"samples": samples, "added": sorted(kept.added)}))
            beside.replace(self.folder / name)
        finally:
            beside.unlink(missing_ok=True)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / LOCK).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _sum(parts: Iterable[Totals]) -> Totals:
    total: Totals = {}
    for part in parts:
        for sample, value in part.items():
            total[sample] = total.get(sample, 0.0) + value
    return total


def _read(path: Path) -> _Kept | None:
    """None for a file that has gone meanwhile, or that cannot be understood."""
    try:
        content = json.loads(path.read_text())
        samples = {
            (str(name), tuple(sorted(labels.items()))): float(value) for name, labels, value in content["samples"]
        }
        return _Kept(samples, frozenset(content["added"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
