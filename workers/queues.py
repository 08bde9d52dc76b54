"""The queues' names, one sentence each."""

from __future__ import annotations

INDEX = "index"
"""Updates and rebuilds: seconds of work each, what makes a new note findable by its words."""

EMBED = "embed"
"""Bouts of embedding: long, in slices; served by one thread, because one models process does the work."""

CONTROL = "control"
"""The sweep and the nightly tidying: milliseconds each, never behind a long job."""

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
