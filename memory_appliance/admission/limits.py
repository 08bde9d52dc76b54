"""How many requests a web process takes in at the same time: numbers for its doors and for whoever starts it."""

from __future__ import annotations

BODIES = 256
"""Bodies that may be on their way (bodies.py)."""

WAITING_ROOM = 128
"""Requests of one caller that may wait for a working thread (requests.py)."""

PATIENCE_SECONDS = 5.0
"""Nobody begins to wait who would wait longer, at the pace of the last requests: a slow machine has a smaller room."""

RECALL_ROOM = 256
"""The same when they are recalls, however long: each has a deadline, and one that is late is answered in no time."""

ALL_WAITING = 384
"""Requests of all callers together: what one alone may have, and room for the others."""

REFUSALS = 32
"""Requests that are just being told that there is no room."""

THREADS = BODIES + ALL_WAITING + REFUSALS
"""Threads beyond those that work. They are started when needed and end when idle."""

CONNECTIONS = 4096
"""Open connections, silent ones included: with few, some hundred silent ones would keep everybody else out."""
