"""What searches bring up: counted without a write on the way, written down together, and never more than that."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from agents.memory import reads
from agents.memory import uses as room
from agents.memory.uses import count_found, forget_uses, prune_uses, store_uses, uses
from agents.models import Agent, FileUse
from agents.registry.agents import update_agent
from agents.upkeep.memory_health.sizes import sizes
from tests import cast

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    room._waiting.clear()
    yield
    room._waiting.clear()


@pytest.fixture
def agent(al: Agent) -> Agent:
    cast.write_files(al, {"memory/2026-01-02.md": "the pump hums\n", "memory/2026-01-03.md": "the heron\n"})
    cast.index(al)
    return al


def ask(agent: Agent, query: str, *, counts: bool = True) -> None:
    params = reads.SearchParams(query, min_score=0, counts=counts)
    reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=params)


def counts() -> dict[str, int]:
    return dict(FileUse.objects.values_list("path", "found"))


def test_searches_are_counted_and_written_down_together(agent: Agent) -> None:
    for _ in range(3):
        ask(agent, "pump")
    assert counts() == {} and store_uses() == 1
    ask(agent, "pump")
    store_uses()
    assert counts() == {"memory/2026-01-02.md": 4} and store_uses() == 0


def test_what_a_person_tries_is_not_counted(agent: Agent) -> None:
    ask(agent, "pump", counts=False)
    assert store_uses() == 0


def test_counting_asks_no_database(agent: Agent) -> None:
    with CaptureQueriesContext(connection) as asked:
        count_found(agent, ["a.md"] * 5)
    assert len(asked) == 0 and store_uses() == 1 and counts() == {"a.md": 1}


def test_no_more_files_are_counted_than_fit(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", 2)
    count_found(agent, ["a.md", "b.md", "c.md"])
    count_found(agent, ["a.md", "b.md", "c.md"])
    store_uses()
    assert sorted(counts().values()) == [2, 2]


def test_a_database_that_refuses_loses_no_count(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise DatabaseError("database is locked")

    count_found(agent, ["a.md"])
    with monkeypatch.context() as patch:
        patch.setattr(room, "_store", busy)
        store_uses()
    store_uses()
    assert counts() == {"a.md": 1}


def test_threads_that_count_at_once_lose_nothing(agent: Agent) -> None:
    threads = [threading.Thread(target=lambda: [count_found(agent, ["a.md"]) for _ in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store_uses()
    assert counts() == {"a.md": 2000}


def test_an_agent_that_is_gone_leaves_no_count(agent: Agent) -> None:
    count_found(agent, ["a.md"])
    agent.delete()
    store_uses()
    assert counts() == {}


def test_old_notes_that_nothing_found_are_named_and_files_that_are_gone_are_not(agent: Agent) -> None:
    count_found(agent, ["memory/2026-01-02.md", "memory/gone.md"])
    store_uses()
    found = uses(agent, now=NOW)
    assert [row.path for row in found.often] == ["memory/2026-01-02.md"]
    assert [file.path for file in found.never] == ["memory/2026-01-03.md"] and found.never_total == 1
    assert uses(agent, now=datetime(2026, 2, 1, tzinfo=UTC)).never == ()


def test_counts_go_with_what_is_forgotten_and_with_the_years(agent: Agent) -> None:
    count_found(agent, ["a.md", "b.md"])
    store_uses()
    forget_uses(agent, ["a.md"])
    assert counts() == {"b.md": 1} and prune_uses() == 0
    FileUse.objects.update(last_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert prune_uses() == 1


def test_sizes_are_held_against_the_budgets_of_the_agent(agent: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=agent, settings={"context_file_chars": 1000})
    agent.refresh_from_db()
    cast.write_files(agent, {"MEMORY.md": "x" * 900, "USER.md": "é" * 1200})
    curated, user = sizes(agent)
    assert (curated.chars, curated.budget, curated.near, curated.left) == (900, 1000, True, 100)
    assert (user.chars, user.near, user.left) == (1200, False, -200)


def test_a_curated_file_that_is_missing_has_no_size(agent: Agent) -> None:
    assert [size.chars is None for size in sizes(agent)] == [False, True]
