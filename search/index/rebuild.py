"""rebuild_index(): build a new index beside the live one and swap it in whole; remove_index(): delete one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from search.index.driver import open_writer
from search.index.embed import LOCK_TIMEOUT
from search.index.locks import writer_lock
from search.index.opening import SIDE_FILES, open_index, seed_cache
from search.index.report import IsCancelled, ReportProgress, UpdateReport
from search.index.schema import generation, set_meta
from search.index.update import update_index
from search.spec import EmbeddingIdentity, IndexSpec


def build_path(live: Path) -> Path:
    """Where the next index of an agent is built; left over after a crash, it is simply built again."""
    return live.with_name(live.name + ".build")


def rebuild_index(
    spec: IndexSpec, *, identity: EmbeddingIdentity | None, progress: ReportProgress, cancelled: IsCancelled
) -> UpdateReport:
    """Everything from the files again; cached vectors are reused. Searches keep answering from the old index.

    The new index is copied over the live file by SQLite's backup in one step: replacing the file under open
    connections would lose or corrupt rows.
    """
    beside = build_path(spec.path)
    with writer_lock(spec.path, timeout=LOCK_TIMEOUT):
        _delete(beside)
        try:
            fresh = open_index(beside)
            try:
                if spec.path.exists():
                    seed_cache(fresh, spec.path)
            finally:
                fresh.close()
            report = update_index(replace(spec, path=beside), identity=identity, progress=progress, cancelled=cancelled)
            _swap(beside, spec.path)
        finally:
            _delete(beside)
            beside.with_name(beside.name + ".lock").unlink(missing_ok=True)
    return report


def _swap(beside: Path, live_path: Path) -> None:
    live = open_index(live_path)
    source = open_writer(beside)
    try:
        # Readers recognise a change by a generation that only goes up.
        set_meta(source, "generation", max(generation(live), generation(source)) + 1)
        source.execute("UPDATE vec_seg SET ver = (SELECT value FROM meta WHERE key = 'generation')")
        source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with live.backup("main", source, "main") as backup:
            backup.step(-1)
    finally:
        source.close()
        live.close()


def remove_index(path: Path, *, lock_timeout: float = 5.0) -> None:
    """Delete an agent's index file with its side files, under the writer lock.

    Raises `IndexBusy` when a job still writes after `lock_timeout` seconds. The empty lock file stays: a process that
    waits for it must not be left with a lock that nobody else sees.
    """
    with writer_lock(path, timeout=lock_timeout):
        _delete(build_path(path))
        _delete(path)


def _delete(path: Path) -> None:
    # The database first: a reader that comes between must not find it without its log.
    for suffix in SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
