"""Nothing is written to an agent on the move, or by a node that has it no more; a single server asks nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Agent
from agents.nodes.freezing import AgentMoving, refuse_while_moving
from agents.notes import note
from agents.transcripts import store_turns
from agents.workspace.lock import workspace_lock
from search.documents.transcripts import Turn
from tests.cast import TRUSTED


@pytest.mark.parametrize("change", [{"frozen_at": timezone.now()}, {"node": "b"}])
def test_notes_and_turns_are_refused(here: Agent, change: dict[str, Any]) -> None:
    Agent.objects.filter(pk=here.pk).update(**change)  # `here` was read before, as by a request under way
    with pytest.raises(AgentMoving):
        note(agent=here, caller=TRUSTED, text="The key is under the pot.")
    with pytest.raises(AgentMoving):
        store_turns(agent=here, session_key="agent:al:main", turns=[Turn("user", "Hello", id="1")])


def test_a_writer_that_waited_for_the_lock_sees_it(here: Agent) -> None:
    with workspace_lock(here):
        Agent.objects.filter(pk=here.pk).update(frozen_at=timezone.now())
    with pytest.raises(AgentMoving), workspace_lock(here):
        pass


def test_a_single_server_asks_nothing(
    here: Agent, settings: Any, django_assert_num_queries: Callable[[int], AbstractContextManager[None]]
) -> None:
    settings.MEMORY_NODE_NAME = ""
    with django_assert_num_queries(0):
        refuse_while_moving(here)
