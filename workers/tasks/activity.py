"""Count activity: every minute, what happened since goes into the rows that charts read."""

from __future__ import annotations

from agents.memory.activity import count_activity
from agents.servers.rounds import my_turn
from workers.app import app

SECONDS = 50.0
"""A server that comes within this time after another has nothing to add."""


@app.task(name="workers.count_activity")
def count() -> None:
    if my_turn("activity", seconds=SECONDS):
        count_activity()
