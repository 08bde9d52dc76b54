"""LangChain: a retriever over `search`, and a chat's history kept as its transcript. Needs the extra `langchain`."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.retrievers import BaseRetriever

from memory_appliance_client.answers import HitAnswer, SaidAnswer
from memory_appliance_client.calls import Corpus, Message, Mode, Session
from memory_appliance_client.client import Client

PAGE = 500


class MemoryRetriever(BaseRetriever):
    """Passages of an agent's memory as documents; their metadata has `source`, `score`, `origin` and `notices`.

    `session`: the chat that asks. A refusal raises `Denied`, a missing index `Unavailable`: an empty list always
    means that nothing was found. `notices` in the metadata names what was missing on the way, such as vectors.
    """

    client: Client
    session: Session | str | None = None
    k: int | None = None
    mode: Mode | None = None
    corpus: Corpus | None = None
    min_score: float | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        answer = self.client.search(
            query, session=self.session, max_results=self.k, mode=self.mode, corpus=self.corpus,
            min_score=self.min_score, citations="off",
        ).checked()  # fmt: skip
        return [_document(hit, answer.notices) for hit in answer.results]


class MemoryChatMessageHistory(BaseChatMessageHistory):
    """A chat's messages, kept as its transcript: what people and agent said since the last `clear()`.

    A message is stored once by its id and comes back as text, with what looks like a secret masked; tool calls and
    system messages are left out. `clear()` ends the conversation: it is not given back any more and stays searchable
    as memory. `forget()` really deletes it, with the notes that were made from it.
    """

    def __init__(self, client: Client, session_key: str) -> None:
        self.client, self.session_key = client, session_key

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override,unused-ignore] # LangChain allows either
        """Raises `Denied` for a chat that may not read its own: groups are read with a trusted key."""
        pages = [self.client.messages(self.session_key, limit=PAGE).checked()]
        while pages[-1].older:
            pages.append(self.client.messages(self.session_key, limit=PAGE, before=pages[-1].older).checked())
        return [_spoken(said) for page in reversed(pages) for said in page.items]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        said = [turn_of(message) for message in messages]
        self.client.store_messages(self.session_key, [turn for turn in said if turn is not None])

    def clear(self) -> None:
        self.client.reset(self.session_key, reason="new")

    def forget(self) -> None:
        self.client.forget(session_key=self.session_key)


def _document(hit: HitAnswer, notices: list[str]) -> Document:
    place = f"{hit.path}#L{hit.start_line}-L{hit.end_line}"
    metadata = {
        "source": place, "path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line,
        "score": hit.score, "collection": hit.collection, "origin": hit.origin, "date": hit.date, "notices": notices,
    }  # fmt: skip
    return Document(page_content=hit.snippet.strip(), id=place, metadata=metadata)


def _spoken(said: SaidAnswer) -> BaseMessage:
    return (HumanMessage if said.role == "user" else AIMessage)(said.text)


def turn_of(message: BaseMessage) -> Message | None:
    """None for what is no word of a person or the agent."""
    text = message.content if isinstance(message.content, str) else message.text
    if not isinstance(message, (HumanMessage, AIMessage)) or not str(text).strip():
        return None
    role = "user" if isinstance(message, HumanMessage) else "assistant"
    message.id = message.id or str(uuid.uuid4())  # sent again, it is stored once
    return Message(role, str(text), id=message.id)
