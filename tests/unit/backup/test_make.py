"""make_backup(): what is in it, what is not, and what happens when it is cut short."""

from __future__ import annotations

from pathlib import Path

from agents.backup import list_backups, make_backup, verify_backup
from agents.backup.blocks import BlockStore
from agents.backup.catalog import read_listing
from agents.models import Agent


def contents(backups: Path) -> dict[str, bytes]:
    store = BlockStore(backups)
    newest = list_backups(backups)[0]
    return {file.path: b"".join(store.read(file.blocks)) for file in read_listing(store, newest)}


def test_holds_the_notes_and_the_control_database(al: Agent, backups: Path) -> None:
    made = make_backup()
    held = contents(backups)
    assert held["workspaces/al/MEMORY.md"] == (Path(al.workspace) / "MEMORY.md").read_bytes()
    assert held["control.sqlite3"].startswith(b"SQLite format 3")
    assert made.agents == ("al",)
    assert verify_backup(made.name).ok
