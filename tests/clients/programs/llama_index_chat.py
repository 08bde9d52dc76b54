"""A chat engine with a memory block, as LlamaIndex' users write one. Arguments: what the user says, turn by turn."""

from __future__ import annotations

import asyncio
import os
import sys

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import Memory
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.llms.openai_like import OpenAILike

from memory_appliance_client import Client
from memory_appliance_client.llama_index import MemoryBlock, MemoryRetriever

CHAT = os.environ["CHAT"]
client = Client()
model = OpenAILike(
    model="loopback-1", api_base=f"{os.environ['MODEL_URL']}/v1", api_key="dummy", is_chat_model=True, max_retries=0
)
block = MemoryBlock(client=client, session_key=CHAT)
# So small that every turn pushes the one before it out.
memory = Memory.from_defaults(
    session_id="s", memory_blocks=[block], insert_method="user", token_limit=60, token_flush_size=20
)
engine = SimpleChatEngine.from_defaults(llm=model, memory=memory)
for said in sys.argv[1:]:
    print(engine.chat(said))
if os.environ.get("ASK"):
    retriever = MemoryRetriever(client, session=CHAT, similarity_top_k=2)
    print(*(found.metadata["path"] for found in asyncio.run(retriever.aretrieve(os.environ["ASK"]))))
    print(RetrieverQueryEngine.from_args(retriever, llm=model).query(os.environ["ASK"]))
