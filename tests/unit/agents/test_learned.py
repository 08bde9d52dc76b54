"""What agents and flushes wrote: kept or rejected by people, and what was rejected does not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.sessions import Session
from agents.core.actors import Actor, Caller
from agents.core.errors import Conflict, Invalid, NotFound, RuleError
from agents.files.learned import keep, learned, reject
from agents.files.notes import note
from agents.flush.run import flush
from agents.models import Agent, AuditEvent, WorkspaceWrite
from agents.workspace import read_content
from search.documents.transcripts import Turn

pytestmark = pytest.mark.django_db

GATEWAY = Caller(Actor("key:1 gateway"), trusted=True)
PERSON = Caller(Actor("user:ann"), trusted=True)
CHAT = Session(key="agent:al:telegram:direct:42")


def noted(agent: Agent, text: str, caller: Caller = GATEWAY, target: str = "memory") -> None:
    note(agent=agent, caller=caller, text=text, target=target, session=CHAT if caller is GATEWAY else None)


def memory(agent: Agent) -> str:
    return read_content(agent, "MEMORY.md").text


def test_notes_of_agents_wait_with_their_chat_and_place_and_those_of_people_do_not(al: Agent) -> None:
    noted(al, "The boiler was serviced in May.")
    noted(al, "I like tea.", PERSON)
    page = learned(al)
    (row,) = page.rows
    assert page.waiting == 1 and row.lines == ("- The boiler was serviced in May.",)
    assert (row.path, row.session_key, row.actor, row.there) == ("MEMORY.md", CHAT.key, "key:1 gateway", True)
    assert memory(al).splitlines()[row.start_line - 1] == row.lines[0]


def test_what_is_kept_waits_no_more_and_changes_nothing(al: Agent) -> None:
    noted(al, "The boiler was serviced in May.")
    before = memory(al)
    assert keep(agent=al, caller=PERSON, ids=[learned(al).rows[0].id]) == 1
    assert learned(al).waiting == 0 and memory(al) == before
    assert [row.decision for row in learned(al, everything=True).rows] == ["kept"]


def test_what_is_rejected_is_taken_out_kept_as_a_version_and_not_written_again(al: Agent) -> None:
    for text in ("The boiler was serviced in May.", "Ida moved to Oslo.", "The key is blue."):
        noted(al, text)
    before = read_content(al, "MEMORY.md")
    first, _, third = sorted(learned(al).rows, key=lambda row: row.id)
    assert reject(agent=al, caller=PERSON, ids=[first.id, third.id]) == 2
    assert "boiler" not in memory(al) and "The key is blue" not in memory(al) and "Ida moved to Oslo." in memory(al)
    assert WorkspaceWrite.objects.filter(action="reject", before=before.hash, actor="user:ann").count() == 1
    with pytest.raises(Conflict) as error:
        noted(al, "the  BOILER was serviced in May.", target="daily")
    assert error.value.code == "rejected"
    assert AuditEvent.objects.filter(action="learned.reject", agent_slug="al").count() == 1


def test_a_flush_leaves_out_what_was_rejected(al: Agent) -> None:
    said = [Turn("user", "We decided: the boiler is serviced by Nordheat from now on.")]
    flush(agent=al, caller=GATEWAY, session_key=str(CHAT.key), turns=said)
    rows = learned(al).rows
    assert rows and any("Nordheat" in line for row in rows for line in row.lines)
    reject(agent=al, caller=PERSON, ids=[row.id for row in rows])
    again = flush(agent=al, caller=GATEWAY, session_key="agent:al:telegram:direct:43", turns=said)
    assert (again.written, again.reason) == ((), "what a person rejected before is left out")
    assert all("Nordheat" not in path.read_text() for path in Path(al.workspace).rglob("*.md"))


def test_the_owner_may_write_what_they_rejected(al: Agent) -> None:
    noted(al, "The key is blue.")
    reject(agent=al, caller=PERSON, ids=[learned(al).rows[0].id])
    noted(al, "The key is blue.", PERSON)
    assert "The key is blue." in memory(al) and not al.rejected_lines.exists()


def test_a_note_that_was_changed_since_is_left_and_only_not_written_again(al: Agent) -> None:
    noted(al, "The key is blue.")
    path = Path(al.workspace) / "MEMORY.md"
    path.write_text(path.read_text().replace("blue", "red"))
    (row,) = learned(al).rows
    assert not row.there
    reject(agent=al, caller=PERSON, ids=[row.id])
    assert "The key is red." in memory(al) and al.rejected_lines.count() == 1


def test_a_line_of_the_owners_that_is_the_same_stays(al: Agent) -> None:
    path = Path(al.workspace) / "MEMORY.md"
    path.write_text("# Mine\n\n- The key is blue. It hangs in the shed.\n\n")
    noted(al, "The key is blue.")
    reject(agent=al, caller=PERSON, ids=[learned(al).rows[0].id])
    assert "It hangs in the shed." in memory(al)


@pytest.mark.parametrize(("ids", "error"), [([], Invalid), (list(range(1, 202)), Invalid), ([999_999], NotFound)])
def test_what_cannot_be_decided_is_refused_and_nothing_is_changed(
    al: Agent, ids: list[int], error: type[RuleError]
) -> None:
    noted(al, "The key is blue.")
    with pytest.raises(error):
        reject(agent=al, caller=PERSON, ids=ids)
    assert "blue" in memory(al)


def test_the_list_goes_on_below_the_last_note(al: Agent) -> None:
    WorkspaceWrite.objects.bulk_create(
        WorkspaceWrite(agent=al, path="MEMORY.md", action="append", actor="key:1 g", state="done") for _ in range(120)
    )
    seen, below = [], None
    while True:
        page = learned(al, below=below)
        seen += [row.id for row in page.rows]
        if (below := page.older) is None:
            break
    assert len(seen) == len(set(seen)) == 120 and seen == sorted(seen, reverse=True)


def test_a_trusted_key_without_a_chat_does_not_bring_a_rejected_line_back(al: Agent) -> None:
    noted(al, "The key is blue.")
    reject(agent=al, caller=PERSON, ids=[learned(al).rows[0].id])
    with pytest.raises(Conflict):
        note(agent=al, caller=GATEWAY, text="The key is blue.", target="memory")
    assert al.rejected_lines.count() == 1


def test_marks_of_code_and_tables_are_no_rejected_lines(al: Agent) -> None:
    noted(al, "```\nfirst thing\n```")
    reject(agent=al, caller=PERSON, ids=[learned(al).rows[0].id])
    noted(al, "```\nsecond thing\n```")
    assert "second thing" in memory(al)


def test_a_line_separator_inside_an_owners_line_ends_no_line(al: Agent) -> None:
    mine = "Copied from a chat:\u2028- The key is blue."
    (Path(al.workspace) / "MEMORY.md").write_text(f"{mine}\n")
    noted(al, "The key is blue.")
    (row,) = learned(al).rows
    reject(agent=al, caller=PERSON, ids=[row.id])
    assert mine in memory(al) and "- The key is blue." not in memory(al).split("\n")
