"""A restore of one agent that is killed at each rename: all of then, or all of now after the next start."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from agents.backup import BackupError, find_backup, make_backup
from agents.backup.control import copy_control
from agents.backup.journal import undo_unfinished, unfinished_restores
from agents.backup.restore import JOURNAL, restore
from agents.backup.restore_agent import restore_agent
from agents.backup.staging import restoring_alone
from agents.backup.swap import Swap
from agents.core.actors import CLI
from agents.models import Agent, TranscriptMessage
from agents.transcripts import store_lines
from memory_appliance.boot.refuse import undo_whole_restore
from memory_appliance.boot.say import LaunchFailed
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS

CHAT = "agent:al:telegram:direct:7"


def in_a_fork(work: Callable[[], object]) -> int:
    """The signal that ended it, 0 when it came to its end."""
    connection.close()
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killing(real: Callable[..., Any], at: int) -> Callable[..., Any]:
    """`real`, which dies before its call number `at`, counted in half steps: after it when odd."""
    count = 0

    def wrapped(*args: Any, **values: Any) -> Any:
        nonlocal count
        if count == at:
            kill()
        done = real(*args, **values)
        if count + 1 == at:
            kill()
        count += 2
        return done

    return wrapped


@pytest.mark.parametrize("at", range(10))
def test_a_killed_restore_is_undone_or_whole(al: Agent, backups: Path, monkeypatch: Any, at: int) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    store_lines(agent=al, session_key=CHAT, lines=[b'{"role":"user","content":"one"}'])
    make_backup()
    then = memory.read_text()
    memory.write_text("now\n")
    store_lines(agent=al, session_key=CHAT, lines=[b'{"role":"user","content":"two"}'])
    monkeypatch.setattr(Path, "rename", killing(Path.rename, at))
    in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True))
    monkeypatch.undo()
    undo_unfinished()
    rows = TranscriptMessage.objects.filter(transcript__agent__slug="al").count()
    folder = Path(al.workspace).parents[1] / "transcripts/al/turns"
    turns = b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
    assert (memory.read_text(), rows, turns.count(b"\n")) in (("now\n", 2, 2), (then, 1, 1))
    assert unfinished_restores() == []


def test_a_restore_killed_before_its_rows_are_committed_is_undone(al: Agent, backups: Path, monkeypatch: Any) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    make_backup()
    memory.write_text("now\n")
    monkeypatch.setattr("agents.backup.restore_agent.record", lambda **_: kill())
    assert in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True)) == signal.SIGKILL
    assert memory.read_text() != "now\n"
    assert "problem" in [seen.level for seen in AGENTS.look(Visit()) if seen.part == "al"]
    assert undo_unfinished() == ["al"]
    assert memory.read_text() == "now\n"


def test_a_restore_killed_after_its_rows_were_committed_stays(al: Agent, backups: Path, monkeypatch: Any) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    make_backup()
    memory.write_text("now\n")
    monkeypatch.setattr(Swap, "__exit__", lambda *_: kill())
    assert in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True)) == signal.SIGKILL
    undo_unfinished()
    assert memory.read_text() != "now\n"
    assert unfinished_restores() == []


@pytest.fixture
def replaced(al: Agent, backups: Path, data_dir: Path) -> Iterator[Path]:
    """A server whose backup says `then` where its file says `now`; answers that file. Its database is in its folder."""
    own = connection.settings_dict["NAME"]
    memory = Path(al.workspace) / "MEMORY.md"
    memory.write_text("then\n")
    make_backup()
    memory.write_text("now\n")
    copy_control(data_dir / "control.sqlite3", with_secrets=True)
    connection.close()
    connection.settings_dict["NAME"] = data_dir / "control.sqlite3"
    yield memory
    connection.close()
    connection.settings_dict["NAME"] = own


def whole_restore() -> None:
    restore(find_backup("latest"), force=True)


@pytest.mark.parametrize("at", [1, 4, 9])
def test_a_killed_restore_of_the_whole_server_is_undone_by_the_next_start(
    replaced: Path, data_dir: Path, monkeypatch: Any, at: int
) -> None:
    monkeypatch.setattr(Path, "rename", killing(Path.rename, at))
    assert in_a_fork(whole_restore) == signal.SIGKILL
    monkeypatch.undo()
    assert "manage.py restore 2" in undo_whole_restore()
    assert replaced.read_text() == "now\n"
    assert Agent.objects.get().slug == "al"
    assert not {".restore", JOURNAL} & {path.name for path in data_dir.iterdir()}
    assert undo_whole_restore() == ""
    whole_restore()
    assert replaced.read_text() == "then\n"


def test_the_repeated_command_needs_no_start_between(replaced: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Path, "rename", killing(Path.rename, 4))
    in_a_fork(whole_restore)
    monkeypatch.undo()
    whole_restore()
    assert replaced.read_text() == "then\n"


def test_a_start_beside_a_restore_of_the_whole_server_is_refused(replaced: Path, data_dir: Path) -> None:
    with restoring_alone():
        assert undo_whole_restore() == ""  # one of a single agent: the others are served
        (data_dir / JOURNAL).touch()
        with pytest.raises(LaunchFailed, match="Another restore is at work"):
            undo_whole_restore()


def test_what_cannot_be_put_back_refuses_the_start_until_it_can(replaced: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Path, "rename", killing(Path.rename, 4))
    in_a_fork(whole_restore)
    monkeypatch.undo()
    with monkeypatch.context() as patched, pytest.raises(LaunchFailed, match="cannot be undone"):
        patched.setattr(Path, "rename", refusing)
        undo_whole_restore()
    assert undo_whole_restore()
    assert replaced.read_text() == "now\n"


def refusing(path: Path, target: Path) -> None:
    raise PermissionError(13, "Permission denied", str(path))


def test_two_restores_do_not_write_over_each_other(replaced: Path) -> None:
    with restoring_alone(), pytest.raises(BackupError, match="Another restore is at work"):
        restore_agent(find_backup("latest"), "al", actor=CLI, force=True)
    assert replaced.read_text() == "now\n"


def test_two_restores_in_one_second_keep_what_they_replace_apart(replaced: Path) -> None:
    found = find_backup("latest")
    kept = {restore(found, force=True).kept for _ in range(2)}
    assert len(kept) == 2


def test_undoing_may_be_cut_short_after_its_last_step(al: Agent, backups: Path, monkeypatch: Any) -> None:
    memory = Path(al.workspace) / "MEMORY.md"
    make_backup()
    memory.write_text("now\n")
    monkeypatch.setattr("agents.backup.restore_agent.record", lambda **_: kill())
    in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True))
    monkeypatch.setattr(Path, "unlink", killed_at_the_journal(Path.unlink))
    assert in_a_fork(undo_unfinished) == signal.SIGKILL
    monkeypatch.undo()
    undo_unfinished()
    assert memory.read_text() == "now\n"
    assert unfinished_restores() == []


def killed_at_the_journal(real: Callable[..., None]) -> Callable[..., None]:
    return lambda path, **values: kill() if path.name.startswith("restore-of-") else real(path, **values)


@pytest.mark.parametrize("at", [None, 1, 5])
def test_a_workspace_on_another_disk_comes_back_and_goes_back(
    al: Agent, backups: Path, tmp_path: Path, settings: Any, monkeypatch: Any, at: int | None
) -> None:
    disk = tmp_path.resolve() / "other-disk"
    settings.MEMORY_ALLOWED_ROOTS = (disk.parent,)
    Path(al.workspace).rename(disk)
    Agent.objects.filter(pk=al.pk).update(workspace=str(disk))
    (disk / "link").symlink_to("nowhere")
    (disk / "MEMORY.md").write_text("then\n")
    make_backup()
    (disk / "MEMORY.md").write_text("now\n")
    whole = between_disks(disk, Path.rename)
    monkeypatch.setattr(Path, "rename", whole if at is None else between_disks(disk, killing(Path.rename, at)))
    ended = in_a_fork(lambda: restore_agent(find_backup("latest"), "al", actor=CLI, force=True))
    if at is not None:
        assert ended == signal.SIGKILL
        monkeypatch.setattr(Path, "rename", whole)
        undo_unfinished()
    assert (disk / "MEMORY.md").read_text() == ("then\n" if at is None else "now\n")
    assert list(disk.parent.rglob(".*restoring")) == []
    assert at is None or (disk / "link").is_symlink()


def between_disks(disk: Path, real: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
    """The rename of a machine on which the data folder and `disk` are two file systems."""

    def rename(path: Path, target: Path) -> Path:
        if path.is_relative_to(disk.parent / "data") != target.is_relative_to(disk.parent / "data"):
            raise OSError(errno.EXDEV, "Invalid cross-device link", str(path))
        return real(path, target)

    return rename
