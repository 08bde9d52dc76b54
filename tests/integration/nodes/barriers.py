"""Barriers: a move stops right before a step is written down as done, until the test lets it go on.

A trigger on the row of the move takes an advisory lock of its step, which the test holds: whoever waits there has done
the step's work and not yet said so, which is the worst moment to be killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.integration.stack.server import until
from tests.postgres import Postgres

STEPS = ("freeze", "copy", "verify", "switch", "thaw", "aside")
_SPACE = 7

_TRIGGER = f"""
CREATE OR REPLACE FUNCTION wait_at_barrier() RETURNS trigger AS $$ BEGIN
  IF OLD.step <> NEW.step AND NEW.step <> 'failed' THEN
    PERFORM pg_advisory_xact_lock_shared({_SPACE}, hashtext(OLD.step));
  END IF;
  RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE OR REPLACE TRIGGER barrier BEFORE UPDATE ON agents_agentmove FOR EACH ROW EXECUTE FUNCTION wait_at_barrier();
"""


class Barriers:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def reached(self, step: str) -> None:
        """Wait until somebody stands at this barrier."""
        until(f"a move is at the end of {step}", lambda: self._waiting(step), 60)

    def drop_who_waits(self, step: str) -> None:
        """End the database sessions at this barrier, as the database does when it notices that a client is dead."""
        for pid in self._waiting(step):
            self._connection.execute("SELECT pg_terminate_backend(%s)", (pid,))

    def open(self, step: str) -> None:
        self._connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", (_SPACE, step))

    def _waiting(self, step: str) -> list[int]:
        rows = self._connection.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = %s "
            "AND objid = (hashtext(%s)::bigint & 4294967295)::oid",
            (_SPACE, step),
        )
        return [pid for (pid,) in rows]


@contextmanager
def barriers(postgres: Postgres, *steps: str) -> Iterator[Barriers]:
    """All of `steps` are closed at first; whatever happens, they are open in the end."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(_TRIGGER)
        for step in steps:
            connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (_SPACE, step))
        try:
            yield Barriers(connection)
        finally:
            connection.execute("SELECT pg_advisory_unlock_all()")
            connection.execute("DROP TRIGGER barrier ON agents_agentmove")
