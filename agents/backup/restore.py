"""restore(): the whole server as it was: into an empty data folder, or with `force` in place of what is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone

from agents.backup.control import CONTROL, control_file, copy_control
from agents.backup.journal import journal, undo
from agents.backup.opened import STAGED
from agents.backup.options import SECRET_KEY, SETTINGS, secret_key_file
from agents.backup.places import adapt_places
from agents.backup.staging import Staged, restoring_alone, staged
from agents.backup.swap import Swap
from agents.backup.tables import copy_tables
from agents.backup.values import Backup, BackupError, ReportProgress
from agents.core.actors import CLI
from agents.core.audit import record
from agents.core.paths import data_dir, local_dir
from agents.models import Agent, AuditEvent, Collection, Run, WorkerHeartbeat
from search.sentences import sentence

WORKSPACES = "workspaces"
FOLDERS = (WORKSPACES, "transcripts", "history")
JOURNAL = "restore-unfinished"
"""Lies in the data folder from before the first rename until all is done: a start that finds it undoes the restore."""
_ACTION = "server.restore"
SIDE_FILES = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Restored:
    """`kept` holds what was replaced; None when nothing was. `remarks` are for the owner."""

    backup: str
    agents: tuple[str, ...]
    kept: Path | None
    remarks: tuple[str, ...]


def restore(backup: Backup, *, force: bool, progress: ReportProgress = lambda _: None) -> Restored:
    """Nothing may run on this data folder meanwhile: the caller sees to that. Raises `BackupError`.

    One that was killed before is undone first. Everything is written out and checked before the first thing is moved.
    Indexes stay: they follow the files by themselves, and their vectors are worth keeping; those that the backup holds
    replace them.
    """
    undo_restore()
    places = _places(backup)
    there = [*(str(path) for path in places.values() if _is_something(path)), *_rows_there()]
    _refuse_what_is_there(there, force=force)
    with staged(backup, progress=progress) as found:
        remarks = () if backup.control_only else _adapt(backup)
        moves = {} if backup.control_only else {**_workspaces(found), **_collections(found)}
        _refuse_what_is_there([str(path) for path in moves.values() if _is_something(path)], force=force)
        for name in (STAGED, "default"):
            connections[name].close()
        swap = Swap()
        with journal(data_dir() / JOURNAL, swap, backup=backup.name, folder=str(backup.path.parent)), swap:
            _exchange(swap, found, places, moves)
    return Restored(backup.name, backup.agents, swap.kept if swap.kept_anything else None, remarks)


def undo_restore() -> dict[str, Any]:
    """Put back what a restore of the whole server that was killed had moved; `backup` and `folder` of it, or {}.

    What had been put in its place stays beside what was kept. Nothing may run on this data folder. Raises `BackupError`
    while a restore is at work, and when something cannot be put back now.
    """
    try:
        with restoring_alone():
            return undo(data_dir() / JOURNAL, _is_committed)
    except OSError as error:
        raise BackupError(
            sentence("A restore was cut short and cannot be undone: {error}.", error=error),
            hint=sentence("Bring back the folder that it names, with the right to write there, and try again."),
        ) from error


def _is_committed(head: dict[str, Any]) -> bool:
    """A control database that is a file is moved like all others: then there is no moment that counts."""
    kept = Path(head["kept"]).name
    return connection.vendor != "sqlite" and AuditEvent.objects.filter(action=_ACTION, detail__kept=kept).exists()


def _refuse_what_is_there(there: list[str], *, force: bool) -> None:
    if there and not force:
        raise BackupError(
            sentence("There is something already: {there}.", there=", ".join(there[:3])),
            hint=sentence("Add --force to replace it; what is there now is kept under a name that is printed."),
            code="not_empty",
        )


def _rows_there() -> list[str]:
    """A database server has no file to look at: it is brought up to this version, and asked."""
    if connection.vendor == "sqlite":
        return []
    call_command("migrate", verbosity=0, interactive=False)
    return [f"agents in {connection.display_name}"] if Agent.objects.exists() else []


def _exchange(swap: Swap, found: Staged, places: dict[str, Path], moves: dict[Path, Path]) -> None:
    if connection.vendor == "sqlite":
        _exchange_files(swap, found, places, moves)
        return
    if Agent.objects.exists():
        swap.kept.mkdir(parents=True, mode=0o700)
        copy_control(swap.kept / CONTROL, with_secrets=True)
    with transaction.atomic():
        _exchange_files(swap, found, places, moves)
        copy_tables(STAGED, "default")
        record(actor=CLI, action=_ACTION, target=found.backup.name, detail={"kept": swap.kept.name})


def _exchange_files(swap: Swap, found: Staged, places: dict[str, Path], moves: dict[Path, Path]) -> None:
    for place, path in places.items():
        for suffix in SIDE_FILES if place == CONTROL else ("",):
            swap.set_aside(path.with_name(path.name + suffix), place + suffix)
    for source, target in moves.items():
        swap.set_aside(target, f"elsewhere/{source.relative_to(found.folder)}")
        swap.put(source, target)
    for place, path in places.items():
        swap.put(found.folder / place, path)


def _places(backup: Backup) -> dict[str, Path]:
    """Place inside the backup → what it replaces."""
    own = data_dir()
    places = {SETTINGS: own / "settings-of-backup.env"}
    if connection.vendor == "sqlite":
        places[CONTROL] = control_file()
    if not backup.control_only:
        places |= {name: own / name for name in FOLDERS}
    if backup.with_indexes:
        places["indexes"] = local_dir() / "indexes"
    if backup.with_secrets:
        places[SECRET_KEY] = secret_key_file()
    return places


def _is_something(path: Path) -> bool:
    """The key of web sessions is made by whatever command comes first: it alone is nothing to lose."""
    if path == secret_key_file() or path.name.endswith(".env"):
        return False
    return any(path.iterdir()) if path.is_dir() else path.exists() or path.is_symlink()


def _adapt(backup: Backup) -> tuple[str, ...]:
    """Places of now; jobs of then are over; every agent's files are looked at anew."""
    remarks = adapt_places(STAGED, backup.data_dir)
    now = timezone.now()
    Run.objects.using(STAGED).filter(state__in=Run.ACTIVE).update(
        state=Run.State.CANCELLED, finished_at=now, error=sentence("The server was restored from a backup.")
    )
    WorkerHeartbeat.objects.using(STAGED).all().delete()
    Agent.objects.using(STAGED).update(update_requested_at=now, next_update_at=None)
    return remarks


def _workspaces(found: Staged) -> dict[Path, Path]:
    """Workspaces that do not lie where the backup's folder of workspaces goes; those that do get their names in it.

    A name may be the slug of another agent: all of them leave first.
    """
    staging, home = found.folder / WORKSPACES, data_dir() / WORKSPACES
    moves, named = {}, {}
    for slug, workspace in Agent.objects.using(STAGED).order_by("workspace").values_list("slug", "workspace"):
        source, target = staging / slug, Path(workspace)
        if not target.is_relative_to(home):
            moves[source] = target
        elif target != home / slug and source.exists():
            named[found.folder / "named" / slug] = staging / target.relative_to(home)
            (found.folder / "named").mkdir(exist_ok=True)
            source.rename(found.folder / "named" / slug)
    for source, target in named.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
    return moves


def _collections(found: Staged) -> dict[Path, Path]:
    """Folders inside the data folder; one that two agents read, or that lies in another, comes once."""
    moves: dict[Path, Path] = {}
    rows = Collection.objects.using(STAGED).select_related("agent")
    for row in rows.filter(kind=Collection.Kind.CUSTOM).order_by("path"):
        source, target = found.folder / "collections" / row.agent.slug / row.name, Path(row.path)
        if source.is_dir() and not any(target.is_relative_to(other) for other in moves.values()):
            moves[source] = target
    return moves
