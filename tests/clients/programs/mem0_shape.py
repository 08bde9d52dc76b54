"""The real mem0's Memory beside ours: whether each call below is a call of both, and what their answers are made of."""

from __future__ import annotations

import inspect
import json

import mem0
from mem0.configs.base import MemoryItem

from memory_appliance_client import mem0 as ours

TALK = [{"role": "user", "content": "We decided to paint the shed green in May."}]
CALLS = {
    "add": [((TALK,), {"user_id": "u", "agent_id": "a", "run_id": "r", "metadata": {"k": 1}, "infer": False})],
    "search": [(("shed",), {"filters": {"user_id": "u"}, "top_k": 3, "threshold": 0.2, "rerank": False})],
    "get_all": [((), {"filters": {"user_id": "u"}, "top_k": 3})],
    "get": [(("id",), {})],
    "update": [(("id", "text"), {}), (("id",), {"data": "text", "metadata": {"k": 2}})],
    "delete": [(("id",), {})],
    "delete_all": [((), {"user_id": "u"}), ((), {"agent_id": "a", "run_id": "r"})],
}
for name, calls in CALLS.items():
    for arguments, named in calls:
        for memory in (mem0.Memory, ours.Memory, mem0.AsyncMemory, ours.AsyncMemory):
            inspect.signature(getattr(memory, name)).bind(None, *arguments, **named)

memory = ours.Memory()
memory_id = memory.add(TALK, user_id="shape", run_id="r", metadata={"k": 1})["results"][0]["id"]
memory.update(memory_id, "We painted the shed green.")
(kept,) = memory.get_all(filters={"user_id": "shape"})["results"]
(found,) = memory.search("shed", filters={"user_id": "shape"})["results"]
MemoryItem(**{name: value for name, value in found.items() if name in MemoryItem.model_fields})
assert set(MemoryItem.model_fields) == set(MemoryItem.model_fields) & set(found), found
memory.delete(memory_id)
print(json.dumps([kept["memory"], found["memory"], memory.get_all(filters={"user_id": "shape"})["results"]]))
