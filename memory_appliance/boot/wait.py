"""wait_for_postgresql(): after a power cut the database of another machine may come up later than the server."""

from __future__ import annotations

import time

from django.db import connection

from memory_appliance.boot.say import say

WAIT_SECONDS = 60.0
_POLL_SECONDS = 1.0


def wait_for_postgresql() -> None:
    """For a minute at most, as `pg_isready` sees it; returns at once where the control database is SQLite.

    What does not go by, such as a wrong password, is for the first query to say.
    """
    if connection.vendor != "postgresql":
        return
    from psycopg.conninfo import make_conninfo
    from psycopg.pq import PGconn, Ping

    known = connection.get_connection_params()
    address = make_conninfo(**{name: str(value) for name, value in known.items() if isinstance(value, str | int)})
    told, until = False, time.monotonic() + WAIT_SECONDS
    while Ping(PGconn.ping(address.encode())) in (Ping.REJECT, Ping.NO_RESPONSE):
        if time.monotonic() > until:
            return
        if not told:
            told = True
            say("     PostgreSQL does not answer yet: waiting for it")
        time.sleep(_POLL_SECONDS)
