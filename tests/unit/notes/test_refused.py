"""A write that is refused leaves nothing: no file, no folder, no hidden file, no row, no copy."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.core.errors import RuleError, WorkspaceUnwritable
from agents.core.paths import data_dir
from agents.models import WorkspaceWrite
from agents.workspace import create, disk, objects, replace
from agents.workspace.reading import digest_of
from tests import cast
from tests.unit.notes.conftest import Desk

NEW = "memory/deep/er/new.md"


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def half_full(fd: int, data: bytes) -> None:
    import os

    os.write(fd, data[: len(data) // 2])
    full()


def tree(desk: Desk) -> dict[str, bytes]:
    folders = (Path(desk.agent.workspace), data_dir() / "history")
    files = [path for folder in folders for path in folder.rglob("*") if ".locks" not in path.parts]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in files if path.is_file() or _ours(path)}


def _ours(path: Path) -> bool:
    """Folders of the workspace; those of the history are only made once."""
    return "history" not in path.parts


def appends(desk: Desk) -> None:
    desk.note("Buy a ladder.")


def appends_to_a_new_file(desk: Desk) -> None:
    desk.note("Buy a ladder.", path=NEW)


def creates(desk: Desk) -> None:
    create(agent=desk.agent, actor=cast.OWNER, path=NEW, text="- Ladder.\n", origin="owner")


def replaces(desk: Desk) -> None:
    replace(
        agent=desk.agent, actor=cast.OWNER, path="MEMORY.md", text="- Ladder.\n", origin="owner",
        expected_hash=digest_of(desk.file("MEMORY.md").read_bytes()),
    )  # fmt: skip


FAULTS = [
    (disk, "_write_all", half_full), (disk, "_write_all", full), (disk.os, "fsync", full), (disk, "place", full),
    (disk, "exchange", full), (objects, "keep", full), (objects, "keep_appended", full), (objects, "write_whole", full),
]  # fmt: skip


@pytest.mark.parametrize("write", [appends, appends_to_a_new_file, creates, replaces])
@pytest.mark.parametrize(("room", "step", "fault"), FAULTS, ids=lambda one: getattr(one, "__name__", str(one)))
def test_a_full_disk_leaves_nothing(
    desk: Desk, write: Callable[[Desk], None], room: Any, step: str, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_text("- Paint the shed.\n")
    before = tree(desk)
    with monkeypatch.context() as patched:
        patched.setattr(room, step, fault)
        try:
            write(desk)
        except WorkspaceUnwritable as refused:
            assert "No space" in refused.message
        else:
            return  # this write does not take this step
    assert tree(desk) == before
    assert not WorkspaceWrite.objects.exists()
    write(desk)


@pytest.mark.parametrize("way", ["folder", "link", "pipe"])
def test_a_place_that_is_taken_leaves_nothing(desk: Desk, way: str) -> None:
    import os

    file = desk.file()
    file.parent.mkdir(exist_ok=True)
    {"folder": Path.mkdir, "link": lambda path: path.symlink_to("/etc/hosts"), "pipe": os.mkfifo}[way](file)
    before = tree(desk) if way == "folder" else None
    with pytest.raises(RuleError):
        desk.note("Buy a ladder.")
    assert before is None or tree(desk) == before
    assert not WorkspaceWrite.objects.exists()
    assert [path.name for path in file.parent.iterdir()] == ["plans.md"]
