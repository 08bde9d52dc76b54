"""Locks of the data folder: one holder among threads, processes and servers, and none that has lost its session."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from agents.locking.locks import LockLost, data_lock, fence
from agents.models import Agent, WorkspaceWrite
from agents.registry.agents import create_agent
from agents.workspace import writing
from tests.cast import OWNER

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def postgresql() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("about advisory locks: pytest --ds tests.settings_postgres")


@pytest.fixture
def al(data_dir: Path) -> Agent:
    return create_agent(actor=OWNER, slug="al")


def is_free(path: Path) -> bool:
    """As another server sees it."""
    found: list[bool] = []

    def look() -> None:
        with data_lock(path) as attempt:
            found.append(attempt())
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


def end_session() -> None:
    """As when PostgreSQL is restarted, or gives up a server that it does not hear from."""
    with connection.cursor() as cursor, pytest.raises(DatabaseError):
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_it_has_one_holder_and_is_free_afterwards(data_dir: Path) -> None:
    path = data_dir / "locks" / "one"
    with data_lock(path) as attempt:
        assert is_free(path) and attempt() and not is_free(path)
        fence()
        with data_lock(path) as again:
            assert not again()
    assert is_free(path)


def test_it_is_free_after_a_transaction_that_failed(data_dir: Path) -> None:
    path = data_dir / "locks" / "one"
    with pytest.raises(DatabaseError), transaction.atomic(), data_lock(path) as attempt:
        assert attempt()
        with connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column")
    assert is_free(path)


@pytest.mark.usefixtures("postgresql")
def test_who_has_lost_its_session_has_lost_the_lock(data_dir: Path) -> None:
    path = data_dir / "locks" / "one"
    with data_lock(path) as attempt:
        assert attempt()
        end_session()
        assert is_free(path)
        with pytest.raises(LockLost):
            fence()
        connection.close()
        connection.ensure_connection()  # another session, which holds nothing
        with pytest.raises(LockLost):
            fence()


@pytest.mark.usefixtures("postgresql")
@pytest.mark.parametrize("moment", ["before the bytes", "before the commit"])
def test_who_lost_postgresql_confirms_nothing(al: Agent, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = writing.disk.append_block

    def losing(*values: object) -> bytes:
        if moment == "before the bytes":
            end_session()
        written = real(*values)  # type: ignore[arg-type]
        end_session()
        return written

    monkeypatch.setattr(writing.disk, "append_block", losing)
    with pytest.raises(LockLost):
        note(al, "The key is green.")
    connection.close()
    written = Path(al.workspace, "memory/a.md")
    assert written.exists() == (moment == "before the commit")
    assert WorkspaceWrite.objects.get().state == WorkspaceWrite.State.PENDING

    monkeypatch.setattr(writing.disk, "append_block", real)
    note(al, "The key is green.")  # the caller asks again, by chance another server
    assert written.read_text().count("The key is green.") == 1


def note(agent: Agent, text: str) -> None:
    writing.append(agent=agent, actor=OWNER, path="memory/a.md", text=text, origin="owner", index=False)
