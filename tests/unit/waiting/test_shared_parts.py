"""Parts that all agents share and that may hang: the control database's one writer, and the broker."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from kombu.exceptions import OperationalError as BrokerError

from agents.jobs.runs import request_run
from agents.locking import waiting
from agents.models import Run
from tests import cast
from tests.unit.waiting.conftest import Clock
from tests.unit.waiting.test_requests import NOTE, call
from workers import dispatch


@pytest.fixture
def written_by_others(transactional_db: None) -> Iterator[sqlite3.Connection]:
    """Somebody else has an open transaction in the control database."""
    other = sqlite3.connect(settings.DATABASES["default"]["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


@pytest.fixture
def home(transactional_db: None, data_dir: Path) -> cast.Person:
    cast.index(cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"}))
    return cast.person("gateway", agents=["al"], rights=["read", "write"], trusted=True)


def test_a_held_control_database_refuses_what_writes_and_answers_what_reads(
    home: cast.Person, written_by_others: sqlite3.Connection, clock: Clock
) -> None:
    search = ("post", "search", {"query": "spare key", "mode": "search", "min_score": 0})
    assert call(home, *search).json()["results"]  # although the use of the key cannot be noted
    began = clock.now
    refused = call(home, *NOTE)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "temporarily_unavailable")
    assert refused["Retry-After"] and clock.now - began <= waiting.REQUEST_SECONDS + 0.1
    waited = len(clock.sleepers)
    assert call(home, *NOTE).status_code == 503 and len(clock.sleepers) == waited
    written_by_others.execute("ROLLBACK")
    assert call(home, *NOTE).status_code == 201


def test_a_broker_that_hangs_is_asked_by_one_request_and_then_left_alone(
    home: cast.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def hangs(*arguments: Any, **_: Any) -> None:
        asked.append(arguments)
        assert _another_request_is_told_no()
        raise BrokerError("timed out")

    monkeypatch.setattr(dispatch.app, "send_task", hangs)
    answers = [Client().post("/api/v1/agents/al/update", **home.headers) for _ in range(3)]
    assert [answer.json()["dispatched"] for answer in answers] == [False] * 3
    assert len(asked) == 1
    clock.now += waiting.IN_VAIN_SECONDS
    monkeypatch.setattr(dispatch.app, "send_task", lambda *arguments, **_: asked.append(arguments))
    assert Client().post("/api/v1/agents/al/update", **home.headers).json()["dispatched"]
    assert Run.objects.filter(dispatched_at__isnull=False).count() == 1


def _another_request_is_told_no() -> bool:
    with waiting.as_a_request(), waiting.turn("broker") as free:
        return not free


def test_a_worker_always_asks_the_broker(al: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting.note_in_vain("broker")
    monkeypatch.setattr(dispatch.app, "send_task", lambda *_, **__: None)
    assert dispatch.dispatch(request_run(agent=al, kind=Run.Kind.UPDATE, reason="request"))
