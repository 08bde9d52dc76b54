"""recalled(): the block for a turn of a chat, where a memory that is away must not end the turn."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from memory_appliance_client.calls import Message
from memory_appliance_client.client import Client
from memory_appliance_client.errors import ApplianceError

logger = logging.getLogger(__name__)


def recalled(client: Client, said: Sequence[Message], session_key: str, *, timeout_ms: int | None = None) -> str:
    """What memory holds about the latest message of the user; "" when nothing, and the log says why it failed."""
    last = next((place for place in reversed(range(len(said))) if said[place].role == "user"), None)
    if last is None:
        return ""
    try:
        answer = client.recall(said[last].text, session=session_key, history=said[:last], timeout_ms=timeout_ms)
    except ApplianceError as error:
        logger.warning("no memory for this turn: %s", error)
        return ""
    for notice in answer.notices:
        logger.warning("memory for this turn: %s", notice)
    return answer.context
