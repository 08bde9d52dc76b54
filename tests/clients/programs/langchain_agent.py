"""An agent with the memory middleware, as LangChain's users write one. Arguments: what the user says, turn by turn."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from memory_appliance_client import Client
from memory_appliance_client.langchain_agent import MemoryMiddleware


@dataclass
class Context:
    chat: str


def add(first: int, second: int) -> int:
    """The sum."""
    return first + second


client = Client()
memory = MemoryMiddleware(client, lambda runtime: runtime.context.chat)
model = ChatOpenAI(base_url=f"{os.environ['MODEL_URL']}/v1", api_key="dummy", model="loopback-1")
agent = create_agent(
    model, [add], middleware=[memory], context_schema=Context, checkpointer=InMemorySaver(), system_prompt="Be kind."
)
context, which = Context(os.environ["CHAT"]), {"configurable": {"thread_id": "1"}}
back = client.url
for number, said in enumerate(sys.argv[1:]):
    client.url = "http://127.0.0.1:9" if said.startswith("away:") else back
    asked = {"messages": [{"role": "user", "content": said}]}
    if number % 2:
        done = asyncio.run(agent.ainvoke(asked, which, context=context))
    else:
        done = agent.invoke(asked, which, context=context)
    print(
        done["messages"][-1].text, "memory_block" in done, sum("memory_notes" in str(one) for one in done["messages"])
    )
