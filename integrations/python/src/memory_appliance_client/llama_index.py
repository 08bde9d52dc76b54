"""LlamaIndex: a retriever over `search`, a memory block over `recall` and `flush`. Needs the extra `llama-index`."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from memory_appliance_client.answers import HitAnswer
from memory_appliance_client.calls import AnySession, Corpus, Message, Mode
from memory_appliance_client.client import Client
from memory_appliance_client.turns import recalled

SHOWN = frozenset({"source", "date"})
"""Metadata that a model is shown; the rest is for programs."""


class MemoryRetriever(BaseRetriever):
    """Passages of an agent's memory as nodes; their metadata has `source`, `origin` and `notices`.

    `session`: the chat that asks. A refusal raises `Denied`, a missing index `Unavailable`: an empty list always
    means that nothing was found. `notices` in the metadata names what was missing on the way, such as vectors.
    """

    def __init__(
        self,
        client: Client,
        *,
        session: AnySession = None,
        similarity_top_k: int | None = None,
        mode: Mode | None = None,
        corpus: Corpus | None = None,
        min_score: float | None = None,
        **more: Any,
    ) -> None:
        self._client, self._session = client, session
        self._similarity_top_k, self._mode, self._corpus, self._min_score = similarity_top_k, mode, corpus, min_score
        super().__init__(**more)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answer = self._client.search(
            query_bundle.query_str, session=self._session, max_results=self._similarity_top_k, mode=self._mode,
            corpus=self._corpus, min_score=self._min_score, citations="off",
        ).checked()  # fmt: skip
        return [NodeWithScore(node=_node(hit, answer.notices), score=hit.score) for hit in answer.results]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class MemoryBlock(BaseMemoryBlock[str]):
    """Recall before each turn, and notes from what leaves LlamaIndex's short-term memory.

    What recall finds for the latest user message goes into the prompt, marked as untrusted notes. When the memory
    refuses or cannot be reached, the turn goes on without it, and the log says why. Messages that are put are kept as
    the chat's transcript and flushed, once each; a failure there is raised, so that nothing is lost unseen.
    """

    name: str = "Memory"
    client: Client
    session_key: str
    timeout_ms: int | None = None

    async def _aget(self, messages: list[ChatMessage] | None = None, **_more: Any) -> str:
        said = [turn for turn in map(_turn, messages or []) if turn is not None]
        return await asyncio.to_thread(recalled, self.client, said, self.session_key, timeout_ms=self.timeout_ms)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [turn for turn in map(_turn, messages) if turn is not None]
        if said:
            done = await asyncio.to_thread(self.client.flush, session_key=self.session_key, messages=said)
            done.checked()


def _node(hit: HitAnswer, notices: list[str]) -> TextNode:
    place = f"{hit.path}#L{hit.start_line}-L{hit.end_line}"
    metadata = {
        "source": place, "path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line,
        "collection": hit.collection, "origin": hit.origin, "date": hit.date, "notices": notices,
    }  # fmt: skip
    hidden = sorted(metadata.keys() - SHOWN)
    return TextNode(
        id_=place, text=hit.snippet.strip(), metadata=metadata,
        excluded_llm_metadata_keys=hidden, excluded_embed_metadata_keys=hidden,
    )  # fmt: skip


def _turn(message: ChatMessage) -> Message | None:
    """None for what is no word of a person or the agent."""
    role, text = str(message.role.value), message.content
    return Message(role, text) if role in ("user", "assistant") and text and text.strip() else None
