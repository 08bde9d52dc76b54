"""make_backup(): what is in it, what is not, and what happens when it is cut short."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore

from agents.backup import BackupError, list_backups, make_backup, verify_backup
from agents.backup.blocks import BLOCK_BYTES, BlockStore
from agents.backup.catalog import read_listing, store_lock, used_blocks
from agents.models import Agent
from agents.registry.collections import create_collection
from agents.transcripts import store_lines
from search.errors import Cancelled
from tests.cast import OWNER


def contents(backups: Path) -> dict[str, bytes]:
    """Of the newest backup: place → bytes."""
    store = BlockStore(backups)
    newest = list_backups(backups)[0]
    return {file.path: b"".join(store.read(file.blocks)) for file in read_listing(store, newest)}


def control(backups: Path, tmp_path: Path, query: str) -> list[Any]:
    (tmp_path / "copy.sqlite3").write_bytes(contents(backups)["control.sqlite3"])
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as database:
        return database.execute(query).fetchall()


def test_it_holds_the_notes_and_the_control_database(al: Agent, backups: Path, tmp_path: Path) -> None:
    made = make_backup()
    assert contents(backups)["workspaces/al/MEMORY.md"] == (Path(al.workspace) / "MEMORY.md").read_bytes()
    assert control(backups, tmp_path, "SELECT slug FROM agents_agent") == [("al",)]
    assert made.agents == ("al",)
    assert verify_backup(made.name).ok


def test_it_holds_every_file_of_a_workspace_however_its_folder_is_called(al: Agent, backups: Path) -> None:
    workspace = Path(al.workspace)
    names = ("pictures/cat.png", "node_modules/x.js", ".git/config", "locks/front-door.md", ".locks/x", "venv/wine.md")
    for name in names:
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_bytes(b"\x00\xff")
    make_backup()
    held = {place for place in contents(backups) if place.startswith("workspaces/")}
    assert held == {f"workspaces/al/{name}" for name in ("MEMORY.md", *names)}


@pytest.mark.parametrize("workspace", ["/", "{data}", "{data}/indexes", "", "al", "/a/../.."])
def test_a_workspace_that_no_service_stored_is_left_out_and_named(
    al: Agent, al_2: Agent, backups: Path, data_dir: Path, workspace: str
) -> None:
    """It would take in the whole disk, and other agents' collections would count as saved with it."""
    (data_dir / "more").mkdir()
    (data_dir / "more" / "note.md").write_text("kept")
    create_collection(actor=OWNER, agent=al_2, name="more", path=str(data_dir / "more"))
    Agent.objects.filter(pk=al.pk).update(workspace=workspace.format(data=data_dir))
    made = make_backup()
    held = set(contents(backups))
    assert {"workspaces/al-2/MEMORY.md", "collections/al-2/more/note.md"} <= held
    assert not any(place.startswith("workspaces/al/") for place in held)
    assert any("the workspace of al " in line for line in made.left_out)


def test_it_holds_transcripts(al: Agent, backups: Path) -> None:
    store_lines(agent=al, session_key="agent:al:telegram:direct:7", lines=[b'{"role":"user","content":"the key?"}'])
    make_backup()
    turns = [data for place, data in contents(backups).items() if place.startswith("transcripts/al/turns/")]
    assert b"the key?" in turns[0]


def test_a_symlink_is_named_and_not_followed(al: Agent, backups: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("not ours")
    (Path(al.workspace) / "link.md").symlink_to(tmp_path / "secret")
    made = make_backup()
    assert made.left_out == (f"{al.workspace}/link.md: a symlink",)
    assert "workspaces/al/link.md" not in contents(backups)


def test_collections_come_along_from_inside_the_data_folder_alone(
    al: Agent, backups: Path, data_dir: Path, tmp_path: Path, settings: Any
) -> None:
    outside = tmp_path / "documents"
    settings.MEMORY_ALLOWED_ROOTS = (outside,)
    for folder in (outside, data_dir / "handbook"):
        folder.mkdir()
        (folder / "a.md").write_text("# A\n")
        create_collection(actor=OWNER, agent=al, name=folder.name, path=str(folder))
    made = make_backup()
    assert "collections/al/handbook/a.md" in contents(backups)
    assert not any("documents" in place for place in contents(backups))
    assert any(str(outside) in line for line in made.left_out)


def test_sessions_of_people_stay_out_unless_secrets_are_wanted(backups: Path, tmp_path: Path) -> None:
    SessionStore().create()
    make_backup()
    assert control(backups, tmp_path, "SELECT count(*) FROM django_session") == [(0,)]
    make_backup(with_secrets=True)
    assert control(backups, tmp_path, "SELECT count(*) FROM django_session") == [(1,)]


def test_secrets_are_named_or_held_but_never_by_accident(backups: Path, settings: Any) -> None:
    settings.OPTIONS = type(settings.OPTIONS)(openai_api_key="sk-very-secret", port=8799)
    make_backup()
    lines = contents(backups)["settings.env"].decode().splitlines()
    assert {"# MEMORY_OPENAI_API_KEY was set", "MEMORY_PORT='8799'"} < set(lines)
    assert not any("sk-very-secret" in line for line in lines)
    make_backup(with_secrets=True)
    assert b"MEMORY_OPENAI_API_KEY='sk-very-secret'" in contents(backups)["settings.env"]


def test_keys_are_there_by_their_digest(helper: Any, backups: Path, tmp_path: Path) -> None:
    make_backup()
    assert control(backups, tmp_path, "SELECT digest FROM agents_apikey") == [(helper.key.digest,)]
    assert helper.secret.encode() not in contents(backups)["control.sqlite3"]


def test_the_index_is_there_where_it_is_wanted(al: Agent, backups: Path) -> None:
    make_backup()
    assert "indexes/al.sqlite" not in contents(backups)
    make_backup(with_indexes=True)
    assert contents(backups)["indexes/al.sqlite"].startswith(b"SQLite format 3")


def test_a_second_backup_stores_only_what_changed(al: Agent, backups: Path) -> None:
    big = Path(al.workspace) / "log.bin"
    big.write_bytes(b"".join(bytes([number]) * BLOCK_BYTES for number in range(8)))
    make_backup()
    blocks = len(used_blocks(backups))
    with big.open("ab") as file:
        file.write(b"one line more")
    again = make_backup()
    assert len(used_blocks(backups)) - blocks <= 4  # the end of the file, the listing, and of the control database
    assert again.added < big.stat().st_size / 4
    assert contents(backups)["workspaces/al/log.bin"] == big.read_bytes()


def test_a_change_that_keeps_size_and_time_is_seen(al: Agent, backups: Path) -> None:
    note = Path(al.workspace) / "MEMORY.md"
    make_backup()
    before = note.stat()
    note.write_bytes(note.read_bytes().replace(b"blue", b"pink"))
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    make_backup()
    assert b"pink" in contents(backups)["workspaces/al/MEMORY.md"]


def test_a_cancelled_backup_is_none(al: Agent, backups: Path) -> None:
    with pytest.raises(Cancelled):
        make_backup(cancelled=lambda: True)
    assert list_backups() == ()
    assert make_backup().agents == ("al",)


def test_a_disk_that_fills_up_is_told_and_not_left_full(al: Agent, backups: Path, monkeypatch: Any) -> None:
    first = make_backup()
    held = used_blocks(backups)
    (Path(al.workspace) / "big.bin").write_bytes(os.urandom(4 * BLOCK_BYTES))
    real, written = BlockStore._write, []

    def write(self: BlockStore, path: Path, data: bytes) -> None:
        written.append(path)
        if len(written) == 4:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(self, path, data)

    monkeypatch.setattr(BlockStore, "_write", write)
    with pytest.raises(BackupError, match="No space left") as caught:
        make_backup()
    assert "Make room" in caught.value.hint
    assert {path.parent.name + path.name for path in backups.glob("blocks/??/*")} == held
    assert verify_backup(first.name).ok


def test_one_backup_at_a_time(backups: Path) -> None:
    with store_lock(backups), pytest.raises(BackupError, match="Another backup") as caught:
        make_backup()
    assert caught.value.code == "backup_running"


def test_a_damaged_control_database_is_no_backup(al: Agent, backups: Path, settings: Any, monkeypatch: Any) -> None:
    broken = backups.parent / "broken.sqlite3"
    with closing(sqlite3.connect(broken)) as database:
        database.execute("CREATE TABLE t(x)")
        database.executemany("INSERT INTO t VALUES(?)", [("x" * 500,) for _ in range(200)])
        database.commit()
    data = bytearray(broken.read_bytes())
    data[5 * 4096 : 6 * 4096] = b"\xee" * 4096
    broken.write_bytes(data)
    monkeypatch.setattr("agents.backup.control.control_file", lambda: broken)
    with pytest.raises(BackupError, match=r"damaged|copied"):
        make_backup()
    assert list_backups() == ()


def test_a_block_that_went_bad_is_written_again(al: Agent, backups: Path) -> None:
    first = make_backup()
    for path in backups.glob("blocks/??/*"):
        path.write_bytes(b"rotten")
    assert not verify_backup(first.name).ok
    assert verify_backup(make_backup().name).ok


def test_a_damaged_list_is_no_backup_and_removes_nothing(al: Agent, backups: Path) -> None:
    first, second = make_backup(), make_backup()
    first.path.write_text(first.path.read_text().replace('"al"', '"xx"'))
    assert [backup.name for backup in list_backups()] == [second.name]
    assert verify_backup(make_backup().name).ok
    assert verify_backup(second.name).ok
