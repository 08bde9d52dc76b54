"""Writers that die, disks that are full, and people who save in the same moment: nothing is lost, nothing doubled."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from agents.core.errors import Conflict, WorkspaceUnwritable
from agents.models import WorkspaceWrite
from agents.workspace import disk, objects, replace
from agents.workspace.tombstones import bury
from memory_appliance.boot.repair import repair
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS
from tests import cast
from tests.unit.notes.conftest import Desk


class Killed(BaseException):
    """Stands for the moment at which a process ends."""


def dies(desk: Desk, monkeypatch: pytest.MonkeyPatch, at: Callable[..., None], text: str = "Buy a ladder.") -> None:
    """Write a note and die in the step `at` takes the place of."""
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(disk, "append_block", at)
        desk.note(text, idempotency_key="k1")


def nothing_written(*_: object) -> None:
    raise Killed


def half_written(root, rel, block, before, keep) -> None:  # type: ignore[no-untyped-def]
    with (root / rel).open("ab") as file:
        file.write(block[:7])
    raise Killed


def all_written(root, rel, block, before, keep) -> None:  # type: ignore[no-untyped-def]
    with (root / rel).open("ab") as file:
        file.write(block)
    raise Killed


@pytest.mark.parametrize("moment", [nothing_written, half_written, all_written])
def test_a_write_that_was_cut_off_is_finished_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, moment: Callable[..., None]
) -> None:
    desk.note("Paint the shed.")
    dies(desk, monkeypatch, moment)
    retry = desk.note("Buy a ladder.", idempotency_key="k1")
    assert (retry.start_line, retry.end_line, retry.duplicate) == (2, 2, True)
    assert desk.text() == "- Paint the shed.\n- Buy a ladder.\n"
    assert not WorkspaceWrite.objects.filter(state="pending").exists()


def test_a_cut_off_write_into_a_file_that_a_person_changed_is_given_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.note("Paint the shed.")
    dies(desk, monkeypatch, half_written)
    desk.put("- All new.\n")
    assert not desk.note("Buy a ladder.", idempotency_key="k1").duplicate
    assert desk.text() == "- All new.\n- Buy a ladder.\n"


def test_an_editor_that_replaces_the_file_meanwhile_loses_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.note("Paint the shed.")
    really, saves = disk._append_once, ["- Paint the shed GREEN.\n\n- And the door.\n"]

    def with_editor(folder: int, name: str, block: bytes) -> None:
        really(folder, name, block)
        if saves:
            desk.put(saves.pop())

    monkeypatch.setattr(disk, "_append_once", with_editor)
    noted = desk.note("Buy a ladder.")
    assert desk.text() == "- Paint the shed GREEN.\n\n- And the door.\n- Buy a ladder.\n"
    assert desk.text().splitlines()[noted.start_line - 1] == "- Buy a ladder."


def test_an_editor_that_never_stops_is_a_refusal(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    really = disk._append_once

    def with_editor(folder: int, name: str, block: bytes) -> None:
        really(folder, name, block)
        desk.put("- Mine.\n")

    monkeypatch.setattr(disk, "_append_once", with_editor)
    with pytest.raises(Conflict) as refused:
        desk.note("Buy a ladder.")
    assert (refused.value.code, desk.text()) == ("workspace_busy", "- Mine.\n")


def test_a_save_in_the_moment_of_a_replacement_wins(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.note("Paint the shed.")
    really, saves = disk.exchange, ["- By hand.\n"]

    def with_editor(folder: int, one: str, other: str) -> None:
        if saves:
            desk.put(saves.pop())
        really(folder, one, other)

    monkeypatch.setattr(disk, "exchange", with_editor)
    read = WorkspaceWrite.objects.get().after
    with pytest.raises(Conflict) as refused:
        replace(
            agent=desk.agent, actor=cast.OWNER, path="memory/plans.md", text="- Mine.\n", expected_hash=read,
            origin="owner",
        )  # fmt: skip
    assert (refused.value.code, desk.text()) == ("file_changed", "- By hand.\n")
    assert [path.name for path in desk.file().parent.iterdir()] == ["plans.md"]


def test_a_full_disk_takes_nothing_of_a_note(desk: Desk) -> None:
    size = 8_000_000
    desk.file().write_bytes((b"- " + b"filler " * 10_000 + b"\n") * (size // 70_000))
    size = desk.file().stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        with pytest.raises(WorkspaceUnwritable):
            desk.note("A note of more than ten bytes.")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert desk.file().stat().st_size == size
    assert not WorkspaceWrite.objects.exists()
    assert not desk.note("A note of more than ten bytes.", index=False).duplicate


def test_what_was_displaced_is_a_version_that_the_doctor_names(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.note("Paint the shed.")
    really, steps = disk.exchange, ["- By hand.\n", ""]

    def with_person(folder: int, one: str, other: str) -> None:
        if text := steps.pop(0):
            desk.put(text)
        else:
            with desk.file().open("a") as file:
                file.write("- One more.\n")
        really(folder, one, other)

    monkeypatch.setattr(disk, "exchange", with_person)
    with pytest.raises(Conflict):
        replace(
            agent=desk.agent, actor=cast.OWNER, path="memory/plans.md", text="- Mine.\n", origin="owner",
            expected_hash=WorkspaceWrite.objects.get().after,
        )  # fmt: skip
    assert desk.text() == "- By hand.\n"
    row = WorkspaceWrite.objects.get(action="displaced")
    assert objects.load("al", row.after) == b"- Mine.\n- One more.\n"
    told = [seen.seen for seen in AGENTS.look(Visit()) if seen.part == "al"]
    assert len(told) == 1 and "memory/plans.md" in told[0] and row.after[:12] in told[0]


@pytest.mark.parametrize("old", ["", ".old"])
def test_a_leftover_is_named_and_taken_up_by_the_next_start(desk: Desk, old: str) -> None:
    """As a process leaves it that died between two names: of a forgetting, too, which has no row."""
    desk.note("Paint the shed.")
    hidden = desk.file().with_name(f".plans.md.0123456789abcdef.memory{old}")
    hidden.write_text("- By hand.\n")
    if old:
        desk.file().unlink()
    bury(desk.agent, path="memory/plans.md")
    assert any(hidden.name in seen.seen for seen in AGENTS.look(Visit()))
    repair()
    assert not hidden.exists()
    if old:
        assert desk.text() == "- By hand.\n"
    else:
        assert desk.text() == "- Paint the shed.\n"
        assert objects.load("al", WorkspaceWrite.objects.get(action="displaced").after) == b"- By hand.\n"
