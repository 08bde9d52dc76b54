"""LangChain's agents: a middleware that recalls before each turn and keeps it. Needs the extra `langchain-agent`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from typing_extensions import NotRequired

from memory_appliance_client.calls import Message
from memory_appliance_client.client import Client
from memory_appliance_client.errors import ApplianceError
from memory_appliance_client.langchain import turn_of
from memory_appliance_client.turns import recalled

logger = logging.getLogger(__name__)

MOST_UNSENT = 1000
"""Messages of a chat that wait for an appliance that is away; the oldest go first."""


class RecalledState(AgentState[Any]):
    memory_block: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type,unused-ignore]


class MemoryMiddleware(AgentMiddleware[RecalledState, Any, Any]):
    """`create_agent(model, middleware=[MemoryMiddleware(client, "agent:home:app:direct:anna")])`.

    Before a turn, what memory holds about the user's message goes in front of it, marked as untrusted notes: the model
    sees it, the conversation does not keep it. After the turn the words of user and agent are stored in the chat's
    transcript. `session_key`: the chat, or a function of LangGraph's runtime that names it. If the memory refuses or is
    away, the turn goes on and the log says why; what could not be sent is sent with the next turn, once.
    """

    state_schema = RecalledState

    def __init__(
        self, client: Client, session_key: str | Callable[[Runtime[Any]], str], *, timeout_ms: int | None = None
    ) -> None:
        super().__init__()
        self._client, self._session_key, self._timeout_ms = client, session_key, timeout_ms
        self._unsent: dict[str, list[Message]] = {}

    def before_agent(self, state: RecalledState, runtime: Runtime[Any]) -> dict[str, Any]:
        said = [turn for turn in map(turn_of, state["messages"]) if turn is not None]
        return {"memory_block": recalled(self._client, said, self._chat(runtime), timeout_ms=self._timeout_ms)}

    async def abefore_agent(self, state: RecalledState, runtime: Runtime[Any]) -> dict[str, Any]:
        return await asyncio.to_thread(self.before_agent, state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(_with_block(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(_with_block(request))

    def after_agent(self, state: RecalledState, runtime: Runtime[Any]) -> None:
        chat, messages = self._chat(runtime), state["messages"]
        begun = max((place for place, one in enumerate(messages) if isinstance(one, HumanMessage)), default=0)
        said = [turn for turn in map(turn_of, messages[begun:]) if turn is not None]
        waiting = [*self._unsent.pop(chat, []), *said]
        try:
            stored = self._client.store_messages(chat, waiting)
        except ApplianceError as error:
            self._unsent[chat] = waiting[-MOST_UNSENT:]
            logger.warning("this turn is sent to the memory with the next one: %s", error)
        else:
            for notice in stored.notices:
                logger.warning("this turn's transcript: %s", notice)

    async def aafter_agent(self, state: RecalledState, runtime: Runtime[Any]) -> None:
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _chat(self, runtime: Runtime[Any]) -> str:
        return self._session_key if isinstance(self._session_key, str) else self._session_key(runtime)


def _with_block(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """The block in front of the user's latest message, for this call alone."""
    block = request.state.get("memory_block")
    place = next((at for at in reversed(range(len(request.messages))) if request.messages[at].type == "human"), None)
    if not block or place is None:
        return request
    message = request.messages[place]
    content = message.content
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    shown = message.model_copy(update={"content": [{"type": "text", "text": block}, *parts]})
    return request.override(messages=[*request.messages[:place], shown, *request.messages[place + 1 :]])
