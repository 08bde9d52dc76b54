"""record() and origin_of_write(): who stands behind what came in through a door."""

from __future__ import annotations

import pytest

from agents.access import provenance
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.memory.reads import Searched, SearchParams, search
from agents.models import Agent, WrittenLine
from search.documents.origin import line_digests
from search.spec import Origin
from tests import cast

NOTE = "- The cellar light is on a timer.\n"


def origin(agent: Agent) -> str:
    return next(iter(provenance.origins_of(agent, line_digests(NOTE)).values()))


def test_a_hit_shows_who_wrote_it(al: Agent) -> None:
    provenance.record(agent=al, path="memory/2026-01-01.md", text=NOTE, origin="agent")
    cast.write_files(al, {"memory/2026-01-01.md": NOTE})
    cast.index(al)
    found = search(agent=al, caller=cast.TRUSTED, session=None, params=SearchParams("cellar timer"))
    assert isinstance(found, Searched)
    assert found.outcome.results[0].origin == "agent"


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        ("agent", "untrusted", "untrusted"),
        ("untrusted", "agent", "untrusted"),
        ("untrusted", "owner", "owner"),
        ("owner", "agent", "agent"),
    ],
)
def test_a_line_written_again_is_not_washed_clean(al: Agent, first: Origin, then: Origin, stays: str) -> None:
    provenance.record(agent=al, path="MEMORY.md", text=NOTE, origin=first)
    provenance.record(agent=al, path="MEMORY.md", text=NOTE, origin=then)
    assert origin(al) == stays


def test_no_text_is_kept_and_it_can_be_forgotten(al: Agent) -> None:
    provenance.record(agent=al, path="MEMORY.md", text=NOTE, origin="agent")
    row = WrittenLine.objects.get(agent=al)
    assert b"cellar" not in bytes(row.digest) and len(row.digest) == 16
    assert provenance.forget_lines(agent=al, text=NOTE) == 1
    assert not WrittenLine.objects.exists()


def test_a_long_text_is_recorded_whole(al: Agent) -> None:
    text = "\n".join(f"- entry number {number}" for number in range(1200))
    provenance.record(agent=al, path="memory/long.md", text=text, origin="agent")
    assert len(provenance.origins_of(al, line_digests(text))) == 1200


def test_the_records_of_one_agent_say_nothing_of_another(al: Agent, al_2: Agent) -> None:
    provenance.record(agent=al, path="MEMORY.md", text=NOTE, origin="untrusted")
    assert provenance.origins_of(al_2, line_digests(NOTE)) == {}


@pytest.mark.parametrize(
    ("caller", "session", "tainted", "expected"),
    [
        (cast.TRUSTED, None, False, "owner"),
        (cast.TRUSTED, Session(), False, "owner"),
        (cast.GATEWAY, None, False, "agent"),
        (cast.TRUSTED, Session(key="agent:al:main"), False, "agent"),
        (cast.GATEWAY, Session(key="agent:al:cron:nightly"), False, "agent"),
        (cast.GATEWAY, Session(key="agent:al:telegram:group:9"), False, "untrusted"),
        (cast.GATEWAY, Session(key="agent:al:main", chat_type="group"), False, "untrusted"),
        (cast.GATEWAY, Session(key="nonsense"), False, "untrusted"),
        (cast.TRUSTED, None, True, "untrusted"),
    ],
)
def test_the_door_and_the_chat_decide(caller: Caller, session: Session | None, tainted: bool, expected: str) -> None:
    assert provenance.origin_of_write(caller, session, tainted=tainted) == expected
