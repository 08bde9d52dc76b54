"""forget(): by path and by chat; nothing comes back, and the answer says what stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from agents.core.actors import Actor
from agents.core.errors import Conflict, Invalid
from agents.files.history import remove_orphan_histories
from agents.models import Agent, Transcript, WorkspaceWrite
from agents.registry.agents import delete_agent
from agents.transcripts import store_turns
from agents.upkeep.forget import Forgotten, forget
from agents.workspace import append, create, objects
from search.documents.transcripts import Turn
from tests import cast

KEY = Actor("key:1 gateway")
CHAT = "agent:al:telegram:direct:42"
OTHER = "agent:al:telegram:direct:77"
LOG = "memory/2026-03-01.md"


def note(agent: Agent, text: str, chat: str = "", path: str = LOG, **more: object) -> None:
    append(agent=agent, actor=KEY, path=path, text=text, origin="agent", session_key=chat, **more)  # type: ignore[arg-type]


def gone(agent: Agent, **what: object) -> Forgotten:
    return forget(agent=agent, actor=cast.OWNER, **what)  # type: ignore[arg-type]


def text_of(agent: Agent, path: str = LOG) -> str:
    return (Path(agent.workspace) / path).read_text(encoding="utf-8")


def copies(data_dir: Path, words: str) -> bool:
    """Whether any kept copy of the agent still holds these words."""
    names = [path.parent.name + path.name for path in (data_dir / "history" / "al").glob("??/*")]
    return any(words.encode() in objects.load("al", name) for name in names)


def index_holds(data_dir: Path, words: str) -> bool:
    return any(words.encode() in path.read_bytes() for path in (data_dir / "indexes").glob("al.sqlite*"))


def test_a_file_goes_with_its_rows_and_its_versions(al: Agent, data_dir: Path) -> None:
    note(al, "The alarm code is 9137.")
    note(al, "The ladder is lent to Ivo.")
    found = gone(al, path=LOG)
    assert not (Path(al.workspace) / LOG).exists()
    assert (found.removed.index_rows, found.removed.versions) == (1, 2)
    assert not copies(data_dir, "9137") and not index_holds(data_dir, "9137")
    assert not WorkspaceWrite.objects.filter(path=LOG).exists()


def test_a_dry_run_says_the_same_and_does_nothing(al: Agent, data_dir: Path) -> None:
    note(al, "The alarm code is 9137.", CHAT)
    found = gone(al, session_key=CHAT, dry_run=True)
    assert [(text.path, text.whole, text.start_line) for text in found.removed.texts] == [(LOG, False, 1)]
    assert (found.dry_run, found.removed.index_rows) == (True, 1)
    assert "9137" in text_of(al) and copies(data_dir, "9137")


def test_a_chat_goes_line_by_line_and_others_stay(al: Agent, data_dir: Path) -> None:
    note(al, "Before all.")
    note(al, "The alarm code is 9137.", CHAT)
    note(al, "The ladder is lent to Ivo.", OTHER)
    gone(al, session_key=CHAT)
    assert text_of(al) == "- Before all.\n- The ladder is lent to Ivo.\n"
    assert not copies(data_dir, "9137") and not index_holds(data_dir, "9137")
    gone(al, session_key=OTHER)
    assert text_of(al) == "- Before all.\n"


def test_the_heading_that_a_chat_opened_the_day_with_stays(al: Agent) -> None:
    note(al, "The alarm code is 9137.\n\nDo not tell.", CHAT, heading="# 2026-03-01")
    note(al, "The ladder is lent to Ivo.", OTHER)
    assert gone(al, session_key=CHAT).removed.texts[0].start_line == 3
    assert text_of(al) == "# 2026-03-01\n\n\n- The ladder is lent to Ivo.\n"


def test_a_file_made_for_a_chat_goes_whole(al: Agent) -> None:
    create(
        agent=al, actor=KEY, path="memory/2026-03-01-1530.md", text="User: hi\n", origin="agent", session_key=CHAT
    )  # fmt: skip
    assert gone(al, session_key=CHAT).removed.texts[0].whole
    assert not (Path(al.workspace) / "memory/2026-03-01-1530.md").exists()


def test_lines_that_a_person_changed_stay_and_are_named(al: Agent) -> None:
    note(al, "The alarm code is 9137.", CHAT)
    (Path(al.workspace) / LOG).write_text("- The alarm code was 9137 until May.\n")
    found = gone(al, session_key=CHAT)
    assert found.removed.texts == () and LOG in found.stays[0].what
    assert text_of(al) == "- The alarm code was 9137 until May.\n"


@pytest.mark.parametrize("what", [{"session_key": CHAT}, {"path": LOG}])
def test_work_under_way_does_not_bring_it_back(al: Agent, what: dict[str, str]) -> None:
    begun = timezone.now()
    gone(al, **what)
    with pytest.raises(Conflict) as refused:
        note(al, "The alarm code is 9137.", CHAT, begun_at=begun)
    assert refused.value.code == "forgotten"
    note(al, "The alarm code is 2222.", CHAT, begun_at=timezone.now())
    assert text_of(al) == "- The alarm code is 2222.\n"


def test_the_chats_transcript_goes_with_it(al: Agent) -> None:
    store_turns(agent=al, session_key=CHAT, turns=[Turn("user", "The code is 9137.")])
    assert gone(al, session_key=CHAT.upper(), dry_run=True).removed.messages == 1
    assert gone(al, session_key=CHAT).removed.messages == 1
    assert not Transcript.objects.exists()


def test_kept_versions_of_an_agent_that_is_gone_go_too(al: Agent, al_2: Agent, data_dir: Path) -> None:
    note(al, "The alarm code is 9137.")
    note(al_2, "Another agent's note.")
    delete_agent(actor=cast.OWNER, agent=al)
    assert remove_orphan_histories() == ["al"]
    assert [path.name for path in (data_dir / "history").glob("[a-z]*")] == ["al-2"]


def test_versions_from_before_the_chat_stay_restorable(al: Agent, data_dir: Path) -> None:
    note(al, "Before all.")
    note(al, "The alarm code is 9137.", CHAT)
    gone(al, session_key=CHAT)
    assert copies(data_dir, "Before all.")


@pytest.mark.parametrize("what", [{}, {"path": LOG, "session_key": CHAT}, {"path": "../x.md"}, {"path": "notes/x.md"}])
def test_one_thing_in_a_place_for_memory_is_named(al: Agent, what: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        gone(al, **what)


@pytest.mark.parametrize("lines", ["#L1", "#L1-L2", "#L2-3"])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_citation_is_refused_with_what_to_do(al: Agent, lines: str, dry_run: bool) -> None:
    note(al, "The alarm code is 9137.")
    with pytest.raises(Invalid, match="forgotten as a whole") as refused:
        gone(al, path=LOG + lines, dry_run=dry_run)
    assert f"Give {LOG} to forget" in refused.value.hint
    assert "9137" in text_of(al)


@pytest.mark.parametrize("what", [{"session_key": CHAT}, {"path": LOG}])
def test_a_dry_run_counts_the_rows_that_go(al: Agent, what: dict[str, str]) -> None:
    for number in range(60):
        note(al, f"Shelf {number} holds {'jars of plum jam and ' * 12}.", OTHER)
    note(al, "The alarm code is 9137.", CHAT)
    dry = gone(al, dry_run=True, **what).removed
    done = gone(al, **what).removed
    assert (dry.index_rows, dry.texts) == (done.index_rows, done.texts)
    assert (done.index_rows < 3) == ("session_key" in what)


def test_a_retry_takes_what_a_killed_forget_left(al: Agent, data_dir: Path) -> None:
    note(al, "The alarm code is 9137.")
    file = Path(al.workspace) / LOG
    file.rename(file.with_name(f".{file.name}.0123456789abcdef.memory.old"))  # as a kill in remove_file leaves it
    found = gone(al, path=LOG)
    assert [text.path for text in found.removed.texts] == [LOG]
    assert [path.name for path in file.parent.iterdir()] == []
    assert not copies(data_dir, "9137") and not index_holds(data_dir, "9137")
