"""postgres_settings(): the control database that DATABASE_URL names, as Django wants it."""

from __future__ import annotations

from typing import Any

EXAMPLE = "postgres://user:password@host/name"
CONNECT_SECONDS = 3
"""A machine that is not there must not keep a request longer."""
ANSWER_SECONDS = 15
"""After this long without a word from PostgreSQL's machine the connection is given up: 5 + 2 × 5 seconds of TCP."""
_PATIENCE = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 5,
    "tcp_user_timeout": ANSWER_SECONDS * 1000,
}
"""What libpq calls them. Without them a connection to a machine that has gone hangs for two hours."""


def postgres_settings(url: str) -> dict[str, Any]:
    """The entry for `DATABASES`. libpq reads the address, and its own options may follow (`?sslmode=verify-full`).

    Raises `ValueError`, whose text never holds the password.
    """
    from psycopg import ProgrammingError  # only where it is used: 10 MB of memory in each process
    from psycopg.conninfo import conninfo_to_dict

    scheme = url.partition("://")[0]
    if scheme not in ("postgres", "postgresql"):
        raise ValueError(f"only PostgreSQL can be used ({EXAMPLE}); leave it out for SQLite")
    try:
        found = dict(conninfo_to_dict(url))
    except ProgrammingError as error:
        raise ValueError(_why(str(error).strip())) from None
    name = found.pop("dbname", None)
    if not name:
        raise ValueError(f"names no database; write {EXAMPLE}")
    if "@" in str(found.get("host") or ""):
        raise ValueError(f"the password holds a sign that ends it; write {EXAMPLE}. {_ENCODE}")
    ports = str(found.pop("port", None) or "")
    if not all(port.isdigit() and 0 < int(port) < 65536 for port in ports.split(",") if port):
        raise ValueError(f"the port is no number from 1 to 65535; write {EXAMPLE}. {_ENCODE}")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": found.pop("user", None) or "",
        "PASSWORD": found.pop("password", None) or "",
        "HOST": found.pop("host", None) or "",
        "PORT": ports,
        "OPTIONS": {**_PATIENCE, **found},
        # A thread that works keeps its connection, and looks before a request whether it still answers: so PostgreSQL
        # can be restarted. There are only so many such threads (admission.py), so a pool would add nothing.
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


_ENCODE = "A sign such as @ : / # ? % in the password is written %40 %3A %2F %23 %3F %25."


def _why(said: str) -> str:
    """libpq's words may hold parts of the password: only the name of a parameter is passed on."""
    if said.startswith("invalid URI query parameter"):
        return f"PostgreSQL knows no {said.removeprefix('invalid URI ')}"
    return f"cannot be read; write {EXAMPLE}. {_ENCODE}"
