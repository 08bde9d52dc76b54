"""start_counting_uses(): this process writes down every few seconds which files its searches brought up."""

from __future__ import annotations

import atexit
import threading

from django.db import connection

from agents.memory.uses import WRITE_SECONDS, store_uses


def start_counting_uses() -> None:
    """Called once, by the processes that answer searches; what others count goes with them."""
    atexit.register(store_uses)
    threading.Thread(target=_keep_storing, name="uses", daemon=True).start()


def _keep_storing() -> None:
    never = threading.Event()
    while not never.wait(WRITE_SECONDS):
        if store_uses():
            connection.close()  # an idle thread holds no place in the database
