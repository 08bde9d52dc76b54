"""The queues' names, one sentence each."""

from __future__ import annotations

INDEX = "index"
"""Updates and rebuilds: seconds of work each, what makes a new note findable by its words."""

EMBED = "embed"
"""Bouts of embedding: long, in slices; served by one thread, because one models process does the work."""

CONTROL = "control"
"""The sweep, the nightly tidying and what one server's own disk needs: each server has such a queue of its own."""

RERANK = "rerank"
"""Judging one search's candidates: somebody waits, so it goes before everything else that models do."""

GENERATE = "generate"
"""Writing a few lines for one search or recall: somebody waits, but not for long."""

BULK = "bulk"
"""Slices of bulk embedding for model workers on other machines: one chunk each, after whatever somebody waits for."""

WORKER_QUEUES = (CONTROL, INDEX, EMBED)
"""What needs the files, an index or the control database."""

MODEL_QUEUES = (RERANK, GENERATE, BULK)
"""In the order in which a model worker looks at them."""

QUEUES = (*WORKER_QUEUES, *MODEL_QUEUES)


def queue_name(queue: str, server: str) -> str:
    """As the broker knows it: each of several servers has a `control` of its own; `server` is "" for the only one."""
    return f"{queue}.{server}" if server and queue == CONTROL else queue
