"""A chat with history and retrieval, as LangChain's users write one. Arguments: what the user says, turn by turn."""

from __future__ import annotations

import asyncio
import os
import sys
from operator import itemgetter

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_openai import ChatOpenAI

from memory_appliance_client import Client
from memory_appliance_client.langchain import MemoryChatMessageHistory, MemoryRetriever

CHAT = os.environ["CHAT"]


def joined(documents: list[Document]) -> str:
    return "\n".join(f"{one.page_content} [{one.metadata['source']}]" for one in documents)


client = Client()
model = ChatOpenAI(base_url=f"{os.environ['MODEL_URL']}/v1", api_key="dummy", model="loopback-1")
retriever = MemoryRetriever(client=client, session=CHAT, k=2)
prompt = ChatPromptTemplate.from_messages(
    [("system", "What is known:\n{notes}"), MessagesPlaceholder("history"), ("user", "{question}")]
)
chain = RunnablePassthrough.assign(notes=itemgetter("question") | retriever | joined) | prompt | model
talk = RunnableWithMessageHistory(
    chain,
    lambda session_id: MemoryChatMessageHistory(client, session_id),
    input_messages_key="question",
    history_messages_key="history",
)
which = {"configurable": {"session_id": CHAT}}
first, *others = sys.argv[1:]
print(talk.invoke({"question": first}, which).content)
for question in others:
    print(asyncio.run(talk.ainvoke({"question": question}, which)).content)
if os.environ.get("CLEAR"):
    history = MemoryChatMessageHistory(client, CHAT)
    history.clear()
    print(history.messages)
