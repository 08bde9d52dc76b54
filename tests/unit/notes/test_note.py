"""note(): targets, days, and who stands behind the text."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.access import provenance
from agents.access.sessions import Session
from agents.core.agent_settings import AgentSettings
from agents.core.errors import WorkspaceUnwritable
from agents.files.notes import Noted, note
from search.documents.origin import line_digests
from tests import cast
from tests.unit.notes.conftest import Desk


def write(desk: Desk, text: str = "A note.", caller=cast.GATEWAY, **more) -> Noted:  # type: ignore[no-untyped-def]
    return note(agent=desk.agent, caller=caller, text=text, **more)


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        ("Asia/Shanghai", datetime(2026, 3, 1, 17, 0, tzinfo=UTC), "2026-03-02"),
        ("America/Los_Angeles", datetime(2026, 3, 2, 7, 59, tzinfo=UTC), "2026-03-01"),
        # The clocks change: midnight is an hour earlier in UTC from that day's end on.
        ("Europe/Berlin", datetime(2026, 3, 28, 22, 59, tzinfo=UTC), "2026-03-28"),
        ("Europe/Berlin", datetime(2026, 3, 29, 22, 0, tzinfo=UTC), "2026-03-30"),
        ("America/Sao_Paulo", datetime(2026, 10, 25, 2, 59, tzinfo=UTC), "2026-10-24"),
    ],
)
def test_the_agents_time_zone_decides_the_day(desk: Desk, zone: str, moment: datetime, day: str) -> None:
    desk.agent.timezone = zone
    noted = write(desk, now=moment)
    assert (noted.appended.path, noted.appended.start_line) == (f"memory/{day}.md", 3)
    assert desk.text(f"memory/{day}.md") == f"# {day}\n\n- A note.\n"


def test_targets_name_the_curated_files_or_a_topic(desk: Desk) -> None:
    places = [write(desk, target=target).appended.path for target in ("memory", "user", "memory/shed.md")]
    assert places == ["MEMORY.md", "USER.md", "memory/shed.md"]


def test_the_owner_the_agent_and_a_group_stand_behind_their_own_words(desk: Desk) -> None:
    group = Session("agent:al:telegram:group:7")
    for text, caller, session in (
        ("Owner wrote this.", cast.TRUSTED, None),
        ("Agent wrote this.", cast.GATEWAY, None),
        ("Group wrote this.", cast.GATEWAY, group),
    ):
        write(desk, text, caller, session=session, target="memory")
    known = provenance.origins_of(desk.agent, line_digests(desk.text("MEMORY.md")))
    assert sorted(known.values()) == ["agent", "owner", "untrusted"]


def test_a_file_near_its_limit_warns_with_its_size(desk: Desk) -> None:
    desk.agent.settings = AgentSettings(context_file_chars=1000).stored()
    desk.file("MEMORY.md").write_text("- " + "x" * 840 + "\n")
    assert "of 1,000 characters" in write(desk, "Near.", target="memory").warnings[0]
    assert "new chats get 1,000" in write(desk, "y" * 200, target="memory").warnings[0]


def test_triggers_outside_the_curated_files_are_kept_and_said_to_be_idle(desk: Desk) -> None:
    noted = write(desk, triggers=["shed"], target="memory/shed.md")
    assert "MEMORY.md and USER.md" in noted.warnings[0]
    assert "<!-- trigger: shed -->" in desk.text("memory/shed.md")


@pytest.mark.parametrize("leave_a_file", [False, True])
def test_a_workspace_that_has_gone_is_said_and_not_made_anew(desk: Desk, leave_a_file: bool) -> None:
    root = Path(desk.agent.workspace)
    away = root.rename(root.with_name("away"))
    if leave_a_file:
        root.write_text("no folder")
    with pytest.raises(WorkspaceUnwritable, match="folder is missing"):
        write(desk)
    assert not root.is_dir()
    root.unlink(missing_ok=True)
    away.rename(root)
    assert not write(desk).appended.duplicate


def test_what_the_index_cannot_take_now_it_takes_later(desk: Desk, data_dir: Path) -> None:
    from agents.core.paths import index_path
    from search.index.locks import writer_lock

    with writer_lock(index_path("al")):
        noted = write(desk)
    desk.agent.refresh_from_db()
    assert not noted.indexed and desk.agent.update_requested_at is not None
