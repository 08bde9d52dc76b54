"""database_problem(): why the control database cannot be used, as one line."""

from __future__ import annotations

from django.db import DatabaseError, connection


def database_problem() -> str:
    """ "" when it answers and has its tables."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM agents_agent LIMIT 1")
    except DatabaseError as error:
        connection.close()
        return str(error).strip().rstrip(".")
    return ""
