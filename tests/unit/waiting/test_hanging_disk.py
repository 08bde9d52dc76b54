"""A workspace on a disk that hangs is refused in words; nothing of it waits longer than one thread does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from agents.context.limits import near_limits
from agents.core.errors import Conflict, WorkspaceUnwritable
from agents.models import Agent
from agents.workspace import append, read_content
from search.documents import answering
from tests import cast


@pytest.fixture
def hanging(al: Agent, monkeypatch: Any) -> Iterator[Agent]:
    """Another thread asks the disk of this workspace, and gets no answer."""
    monkeypatch.setattr(answering, "PATIENCE_SECONDS", 0.01)
    begun, over = Event(), Event()

    def ask() -> None:
        with answering.answering(Path(al.workspace)):
            begun.set()
            over.wait()

    asks = Thread(target=ask)
    asks.start()
    begun.wait()
    yield al
    over.set()
    asks.join()
    assert read_content(al, "MEMORY.md").exists


def test_notes_and_reads_are_refused_in_words(hanging: Agent) -> None:
    with pytest.raises(Conflict, match="does not answer") as busy:
        append(agent=hanging, actor=cast.OWNER, path="MEMORY.md", text="A note.", origin="owner")
    assert busy.value.code == "workspace_busy"
    with pytest.raises(WorkspaceUnwritable, match="does not answer"):
        read_content(hanging, "MEMORY.md")


def test_the_sizes_of_the_curated_files_are_left_out(hanging: Agent) -> None:
    assert not near_limits(hanging)
