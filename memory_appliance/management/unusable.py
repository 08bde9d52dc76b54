"""unusable(): what a command says when the control database does not answer, or has no tables yet."""

from __future__ import annotations

from django.db import DatabaseError

from agents.core.paths import data_dir


def unusable(error: DatabaseError) -> str:
    """One line with what to run."""
    return (
        f"The control database of {data_dir()} cannot be used: {str(error).strip()}. Name the server's "
        "MEMORY_DATA_DIR, start the server once, or run manage.py migrate; manage.py doctor says more."
    )
