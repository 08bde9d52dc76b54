"""The queues' names, one sentence each."""

from __future__ import annotations

INDEX = "index"
"""Updates and rebuilds: seconds of work each, what makes a new note findable by its words."""

EMBED = "embed"
"""Bouts of embedding: long, in slices; served by one thread, because one models process does the work."""

CONTROL = "control"
"""The sweep and the nightly tidying: milliseconds each, never behind a long job."""
