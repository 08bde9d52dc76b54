"""writing_for(): an agent whose writing model is a loopback service that says what the test puts in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.models import Agent
from agents.registry.agents import update_agent
from tests import cast
from tests.unit.providers.vendors import Asked, Said, VendorServer, serving


@contextmanager
def writing_for(agent: Agent, settings: Any, said: list[Any]) -> Iterator[VendorServer]:
    """`said[0]`: the text of every answer, or a whole `Said`."""

    def answer(asked: Asked) -> Said:
        if isinstance(said[0], Said):
            return said[0]
        choice = {"index": 0, "message": {"role": "assistant", "content": said[0]}, "finish_reason": "stop"}
        return Said({"id": "1", "object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 9}})

    with serving(answer) as server:
        settings.MEMORY_PROVIDER_URLS = {**settings.MEMORY_PROVIDER_URLS, "openai": server.url}
        update_agent(actor=cast.OWNER, agent=agent, settings={"generate_model": "openai:m"})
        yield server
