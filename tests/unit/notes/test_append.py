"""append(): what is written where, and what it answers."""

from __future__ import annotations

import pytest

from agents.core.errors import Conflict, Invalid
from agents.upkeep.forget import forget
from agents.workspace import Appended
from search.documents.parse import Chunk, parse_document
from search.spec import ChunkingSpec
from tests import cast
from tests.unit.notes.conftest import PLANS, Desk


def last_entry(desk: Desk) -> Chunk:
    """The last entry of MEMORY.md as the index will hold it."""
    data = desk.file("MEMORY.md").read_bytes()
    return parse_document("MEMORY.md", data, curated=True, chunking=ChunkingSpec()).chunks[-1]


def test_a_line_becomes_a_list_item_after_the_others(desk: Desk) -> None:
    assert desk.note("Buy a ladder.") == Appended("memory/plans.md", 1, 1, False)
    assert desk.note("Paint the shed.").start_line == 2
    assert desk.text() == "- Buy a ladder.\n- Paint the shed.\n"


def test_several_lines_stay_as_they_are_after_an_empty_one(desk: Desk) -> None:
    desk.note("Buy a ladder.")
    noted = desk.note("## Shed\n\nPaint it green.\nThen the door.")
    assert (noted.start_line, noted.end_line) == (3, 6)
    assert desk.text() == "- Buy a ladder.\n\n## Shed\n\nPaint it green.\nThen the door.\n"


def test_several_lines_are_one_entry_of_a_curated_file(desk: Desk) -> None:
    desk.note("The boiler is by Vaillant.\nIts code is F28.", "MEMORY.md", importance=8)
    assert desk.text("MEMORY.md").endswith(
        "- The boiler is by Vaillant.\n  Its code is F28.\n  <!-- importance: 8 -->\n"
    )
    chunk = last_entry(desk)
    assert (chunk.importance, chunk.text.rstrip()) == (8, "- The boiler is by Vaillant.\n  Its code is F28.")


def test_importance_and_triggers_are_what_the_chunker_reads(desk: Desk) -> None:
    desk.note("The gate opens with 4411.", "MEMORY.md", importance=9, triggers=["gate code", "大门"])
    chunk = last_entry(desk)
    assert (chunk.text.strip(), chunk.importance) == ("- The gate opens with 4411.", 9)
    assert chunk.triggers == ("gate code", "大门")


def test_annotations_inside_the_text_are_only_text(desk: Desk) -> None:
    desk.note("He wrote <!-- importance: 10 --> and <!-- trigger: money -->", "MEMORY.md")
    chunk = last_entry(desk)
    assert (chunk.importance, chunk.triggers) == (None, ())
    assert "importance: 10" in chunk.text


@pytest.mark.parametrize("ending", ["- Last", "- Last\n", "- Last\n\n", "- Last\r\n"])
def test_lines_count_right_whatever_the_file_ends_with(desk: Desk, ending: str) -> None:
    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_bytes(ending.encode())
    noted = desk.note("Buy a ladder.")
    assert desk.text().splitlines()[noted.start_line - 1] == "- Buy a ladder."
    assert desk.file().read_bytes().startswith(ending.encode())


def test_a_heading_opens_an_empty_file_only(desk: Desk) -> None:
    assert desk.note("One.", heading="# 2026-03-01").start_line == 3
    desk.note("Two.", heading="# 2026-03-01")
    assert desk.text() == "# 2026-03-01\n\n- One.\n- Two.\n"


def test_folders_are_made_on_the_way(desk: Desk) -> None:
    desk.note("Deep.", "memory/projects/shed/plan.md")
    assert desk.text("memory/projects/shed/plan.md") == "- Deep.\n"


def test_an_idempotency_key_is_answered_as_the_first_time(desk: Desk) -> None:
    first = desk.note("Buy a ladder.", idempotency_key="k1")
    desk.note("Paint the shed.")
    assert desk.note("Buy a ladder.", idempotency_key="k1") == Appended(first.path, 1, 1, True)
    assert desk.text() == "- Buy a ladder.\n- Paint the shed.\n"


@pytest.mark.parametrize(
    ("since", "line", "again"),
    [
        ("- By hand.\n- Buy a ladder.\n", 2, False),
        ("# Plans\n\n- buy a  ladder.\n", 3, False),
        ("- Buy a ladder of wood.\n", 2, True),
        ("", 1, True),
    ],
)
def test_an_old_idempotency_key_names_lines_that_hold_the_text(desk: Desk, since: str, line: int, again: bool) -> None:
    desk.note("Buy a ladder.", idempotency_key="k1")
    desk.put(since)
    for times in range(2):
        assert desk.note("Buy a ladder.", idempotency_key="k1") == Appended(PLANS, line, line, not again or times == 1)
        assert desk.text() == since + ("- Buy a ladder.\n" if again else "")


@pytest.mark.parametrize("what", [{"path": PLANS}, {"session_key": "agent:al:telegram:direct:42"}])
def test_a_forgotten_note_is_no_answer_to_its_idempotency_key(desk: Desk, what: dict[str, str]) -> None:
    more = {"idempotency_key": "k1", "session_key": "agent:al:telegram:direct:42"}
    desk.note("Buy a ladder.", **more)
    forget(agent=desk.agent, actor=cast.OWNER, **what)
    assert desk.note("Buy a ladder.", **more) == Appended(PLANS, 1, 1, False)
    assert desk.text() == "- Buy a ladder.\n"


def test_an_idempotency_key_for_another_text_is_refused(desk: Desk) -> None:
    desk.note("Buy a ladder.", idempotency_key="k1")
    with pytest.raises(Conflict):
        desk.note("Sell the ladder.", idempotency_key="k1")


def test_a_key_of_a_duplicate_is_remembered_too(desk: Desk) -> None:
    desk.note("Buy a ladder.")
    assert desk.note("buy a  ladder.", idempotency_key="k2").duplicate
    desk.put("- Something else.\n- Buy a ladder.\n")
    assert desk.note("buy a  ladder.", idempotency_key="k2") == Appended("memory/plans.md", 2, 2, True)


@pytest.mark.parametrize("path", ["memory/a.txt", "memory", "memory/", "/etc/x.md", "memory//x.md", "users/x/y.md"])
def test_only_places_for_memory_are_written(desk: Desk, path: str) -> None:
    with pytest.raises(Invalid) as refused:
        desk.note("A note.", path)
    assert refused.value.code == "path_not_allowed"


def test_a_file_where_a_folder_should_be_is_a_refusal(desk: Desk) -> None:
    desk.file("memory/plans").write_text("a file\n")
    with pytest.raises(Invalid) as refused:
        desk.note("A note.", "memory/plans/shed.md")
    assert refused.value.code == "path_not_allowed"
