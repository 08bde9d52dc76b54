"""A forgetting whose process dies: the next start, update or write finishes it, and a retry tells what went."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.sessions import Session
from agents.backup.sources import LeftOut, files_below, roots_of
from agents.memory.recall_events import session_digest
from agents.memory.recall_toggles import recall_toggled_on, set_recall_toggle
from agents.models import Agent, RecallToggle, Tombstone, WorkspaceWrite
from agents.transcripts import store_turns
from agents.upkeep import forget as forgetting
from agents.upkeep.forget import forget, settle
from agents.workspace import append, disk, forget_files, objects
from memory_appliance.boot.repair import repair
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS
from search.documents.transcripts import Turn
from tests import cast

CHAT = "agent:al:telegram:direct:42"
LOG = "memory/2026-03-01.md"
PATH, SESSION = {"path": LOG}, {"session_key": CHAT}


class Killed(BaseException):
    """Stands for the moment at which a process ends."""


def note(agent: Agent, text: str, chat: str = "", key: str = "") -> None:
    append(
        agent=agent, actor=cast.OWNER, path=LOG, text=text, origin="agent", session_key=chat, idempotency_key=key
    )  # fmt: skip


def gone(agent: Agent, what: dict[str, str]) -> list[str]:
    return [text.path for text in forget(agent=agent, actor=cast.OWNER, **what).removed.texts]  # type: ignore[arg-type]


def dies(agent: Agent, what: dict[str, str], monkeypatch: pytest.MonkeyPatch, place: object, step: str) -> None:
    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(place, step, killed)
        gone(agent, what)


def holding(data_dir: Path, words: str = "9137") -> list[str]:
    found = [str(path) for path in data_dir.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]
    return found + [name for name in objects.names("al") if words.encode() in objects.load("al", name)]


MOMENTS = [
    (disk, "read_at_rest"),
    (forget_files, "_carry_out"),
    (forget_files, "purge"),
    (objects, "drop"),
    (forgetting, "_take_out_rest"),
    (forgetting, "forget_now"),
    (forgetting, "record"),
]


@pytest.mark.parametrize("what", [PATH, SESSION])
@pytest.mark.parametrize(("place", "step"), MOMENTS)
def test_the_next_start_finishes_it_and_a_retry_tells(
    al: Agent, data_dir: Path, monkeypatch: pytest.MonkeyPatch, what: dict[str, str], place: object, step: str
) -> None:
    note(al, "The alarm code is 9137.", CHAT, key="k")
    if what == SESSION:
        store_turns(agent=al, session_key=CHAT, turns=[Turn("user", "The code is 9137.")])
    dies(al, what, monkeypatch, place, step)
    assert any("Forgetting" in seen.seen for seen in AGENTS.look(Visit()))
    repair()
    assert holding(data_dir) == []
    assert not WorkspaceWrite.objects.exists() and not Tombstone.objects.exclude(step="", name="").exists()
    assert all(seen.level == "ok" for seen in AGENTS.look(Visit()))
    assert gone(al, what) == [LOG]
    assert gone(al, what) == []


def test_an_update_finishes_it_too(al: Agent, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note(al, "The alarm code is 9137.")
    dies(al, PATH, monkeypatch, forgetting, "_take_out_rest")
    assert settle(al, timeout=1.0) == 1
    assert holding(data_dir) == []


def test_a_note_that_comes_meanwhile_is_no_part_of_it(
    al: Agent, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(al, "The alarm code is 9137.")
    dies(al, PATH, monkeypatch, forget_files, "_carry_out")
    note(al, "The ladder is lent to Ivo.")
    repair()
    assert (Path(al.workspace) / LOG).read_text() == "- The ladder is lent to Ivo.\n"
    assert holding(data_dir) == []


def test_what_a_person_saves_meanwhile_stays(al: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    note(al, "The alarm code is 9137.")
    dies(al, PATH, monkeypatch, forgetting, "_take_out_rest")
    Tombstone.objects.update(step="files")
    (Path(al.workspace) / LOG).write_text("- By hand.\n")
    repair()
    assert (Path(al.workspace) / LOG).read_text() == "- By hand.\n"


@pytest.mark.parametrize("old", ["", ".old"])
def test_a_backup_has_no_leftovers_and_names_them(al: Agent, old: str) -> None:
    note(al, "The ladder is lent to Ivo.")
    hidden = Path(al.workspace) / f"memory/.plans.md.0123456789abcdef.memory{old}"
    looks_like_it = hidden.with_name(".plans.md.0123.memory")
    for file in (hidden, looks_like_it):
        file.write_text("- The alarm code is 9137.\n")
    left_out = LeftOut()
    taken = [path for root in roots_of(al, [], left_out) for _, path in files_below(root, left_out)]
    assert hidden not in taken and looks_like_it in taken
    assert any(str(hidden) in line for line in left_out.told())


@pytest.mark.parametrize("legacy", [False, True])
def test_chats_whose_names_differ_in_case_are_two(al: Agent, legacy: bool) -> None:
    """`legacy`: notes of a time when keys had small letters alone are of both."""
    one, other = (f"agent:al:telegram:direct:{peer}" for peer in ("Ab", "aB"))
    note(al, "The alarm code is 9137.", one)
    note(al, "The ladder is lent to Ivo.", other)
    if legacy:
        WorkspaceWrite.objects.update(session_key=one.lower(), folded=True)
    gone(al, {"session_key": one})
    path = Path(al.workspace) / LOG
    assert (path.read_text() if path.exists() else "") == ("" if legacy else "- The ladder is lent to Ivo.\n")


def test_recall_switched_off_for_a_chat_is_on_for_the_one_that_differs_in_case(al: Agent) -> None:
    """A switch of a time when keys had small letters alone counts for both, until a chat has its own."""
    one, other = (Session(f"agent:al:telegram:direct:{peer}") for peer in ("Ab", "aB"))
    set_recall_toggle(actor=cast.OWNER, agent=al, session=one, enabled=False)
    assert (recall_toggled_on(al, one), recall_toggled_on(al, other)) == (False, True)
    RecallToggle.objects.update(session=session_digest(one, folded=True), folded=True)
    assert (recall_toggled_on(al, one), recall_toggled_on(al, other)) == (False, False)
    set_recall_toggle(actor=cast.OWNER, agent=al, session=other, enabled=True)
    assert (recall_toggled_on(al, one), recall_toggled_on(al, other)) == (False, True)
