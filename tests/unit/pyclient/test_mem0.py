"""The mem0-shaped Memory on the real application. Workspaces outlive a test: each has people of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from agents.models import Agent
from memory_appliance_client import Denied, NotFound
from memory_appliance_client.mem0 import AsyncMemory, Memory
from tests import cast
from tests.unit.pyclient.conftest import Connect

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Good morning!"},
    {"role": "assistant", "content": "Good morning."},
    {"role": "user", "content": "We decided to paint the shed green in May."},
]


@pytest.fixture
def memory(connect: Connect) -> Memory:
    return Memory(client=connect("none", rights=["admin"]))


def test_each_user_has_an_agent_of_its_own(memory: Memory) -> None:
    assert memory.search("tea", filters={"user_id": "alice"}) == {
        "results": [],
        "notices": ["nothing was added yet: there is no agent mem0-user-alice, or the key is not for it"],
    }
    added = memory.add("I drink green tea.", user_id="alice")["results"]
    assert [(one["memory"], one["event"]) for one in added] == [("I drink green tea.", "ADD")]
    assert memory.add("I drink green tea.", user_id="alice")["results"] == []
    memory.add("I drink black tea.", user_id="bob")
    found = memory.search("what tea", filters={"user_id": "alice"})
    assert [one["memory"] for one in found["results"]] == ["I drink green tea."] and found["results"][0]["score"] > 0
    assert [one["user_id"] for one in memory.get_all(user_id="bob")["results"]] == ["bob"]
    assert set(Agent.objects.values_list("slug", flat=True)) == {"mem0-user-alice", "mem0-user-bob"}


def test_no_two_ids_share_an_agent(memory: Memory) -> None:
    ids = ["Alice Smith", "alice-smith", "ALICE SMITH", "alice smith", "a" * 80, "a" * 81, "名前", "../x", "-", "main"]
    slugs = [memory.agent_of("user_id", one) for one in ids]
    slugs += [memory.agent_of("user_id", slug.removeprefix("mem0-user-")) for slug in slugs]
    slugs += [memory.agent_of("agent_id", one) for one in ids]
    assert len(set(slugs)) == len(slugs) - 2  # the two plain ones, asked for twice
    assert all(len(slug) <= 63 and slug.startswith("mem0-") for slug in slugs)


def test_of_a_conversation_the_facts_are_kept_with_their_metadata(memory: Memory) -> None:
    done = memory.add(TALK, user_id="cara", run_id="r1", metadata={"room": 'shed: "green"\n', "n": 3})
    assert [one["memory"] for one in done["results"]] == [TALK[3]["content"]]
    seen = {
        "role": "user",
        "content": [{"type": "text", "text": "Good morning!"}, {"type": "image_url", "image_url": {}}],
    }
    memory.add([TALK[0], TALK[1], seen], user_id="cara", infer=False)
    assert len(memory.get_all(filters={"user_id": "cara"})["results"]) == 2
    for filters in ({"run_id": "r1"}, {"n": 3}):
        (one,) = memory.search("shed", filters={"user_id": "cara", **filters}, threshold=0.0)["results"]
        assert one["run_id"] == "r1" and one["metadata"] == {"room": 'shed: "green"\n', "n": 3}
    assert memory.search("shed", filters={"user_id": "cara", "n": 4}, threshold=0.0)["results"] == []


def test_a_memory_is_read_changed_and_really_deleted(memory: Memory) -> None:
    memory_id = memory.add("---\nI like *tea*.\n\n# And\n---\ncoffee", agent_id="bot")["results"][0]["id"]
    assert memory.get(memory_id)["memory"] == "---\nI like *tea*.\n\n# And\n---\ncoffee"
    memory.update(memory_id, "x" * 13_000 + "\n" + "y\n" * 200, metadata={"k": "v"})
    changed = memory.get(memory_id)
    assert len(changed["memory"]) == 13_400 and changed["metadata"] == {"k": "v"}
    assert changed["agent_id"] == "bot" and changed["updated_at"]
    agent = Agent.objects.get(slug="mem0-agent-bot")
    Path(agent.workspace, "memory", "house.md").write_text("The ladder is in the shed.\n")
    cast.index(agent)
    (note,) = memory.search("ladder", agent_id="bot")["results"]
    assert note["metadata"]["source"].startswith("memory/house.md#L1")
    with pytest.raises(ValueError, match="no memory that was added here"):
        memory.delete(note["id"])
    memory.delete(memory_id)
    for again in (memory.get, memory.delete):
        with pytest.raises(NotFound):
            again(memory_id)
    memory.add("I like tea.", agent_id="bot")
    memory.delete_all(agent_id="bot")
    assert memory.get_all(agent_id="bot")["results"] == [] and Path(agent.workspace, "memory", "house.md").exists()


def test_a_key_for_one_agent_uses_the_agent_that_is_named(connect: Connect, al: Agent) -> None:
    client = connect(agents=["al"])
    memory = Memory(client=client, agents={"alice": "al", "anna": "al"})
    memory.add("I drink green tea.", user_id="alice")
    memory.add("I drink black tea.", user_id="anna")
    assert memory.search("tea", user_id="alice", top_k=1)["results"][0]["memory"] == "I drink green tea."
    assert [one["memory"] for one in memory.get_all(user_id="anna")["results"]] == ["I drink black tea."]
    found = memory.search("spare key and tea", user_id="anna")["results"]
    assert {one.get("user_id") for one in found} == {"anna", None}  # and the house's own notes
    memory.delete_all(user_id="anna")
    assert memory.get_all(user_id="anna")["results"] == [] and len(memory.get_all(user_id="alice")["results"]) == 1
    with pytest.raises(NotFound, match="agents=\\{id: slug\\}"):
        memory.add("I drink green tea.", user_id="bob")
    with pytest.raises(NotFound):
        Memory(client=client, agents={"alice": "hom"}).search("tea", user_id="alice")
    connect(rights=["admin"]).request("PUT", "/agents/al/scope", {"default": "deny", "rules": []})
    with pytest.raises(Denied):
        memory.search("tea", user_id="alice")


def test_what_cannot_be_done_is_said(memory: Memory) -> None:
    memory.add("tea", user_id="dora")
    for wrong in (
        lambda: memory.add("tea"),
        lambda: memory.add("tea", run_id="r"),
        lambda: memory.add("tea", user_id="dora", metadata={"a: b\nuser_id": 1}),
        lambda: memory.search("tea", filters={"user_id": "dora", "n": {"gt": 1}}),
        lambda: memory.search("tea", filters={"user_id": "dora", "OR": []}),
        lambda: memory.get("mem0-user-dora:../../MEMORY"),
        lambda: Memory.from_config({"llm": {}}),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_it_can_be_awaited(memory: Memory) -> None:
    """Over one thread: the test's transaction is in it."""
    asynchronous = AsyncMemory(client=memory.client)

    async def both() -> list[str]:
        await asynchronous.add("I drink green tea.", user_id="zoe")
        return [one["memory"] for one in (await asynchronous.get_all(user_id="zoe"))["results"]]

    async def here(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await sync_to_async(method)(*args, **kwargs)

    with patch("memory_appliance_client.mem0.asyncio.to_thread", here):
        assert async_to_sync(both)() == ["I drink green tea."]


@pytest.mark.slow
def test_more_memories_than_one_call_answers_are_all_there(memory: Memory) -> None:
    memory.add(
        [{"role": "user", "content": f"Fact number {number}."} for number in range(205)], user_id="max", infer=False
    )
    assert len(memory.get_all(user_id="max", top_k=1000)["results"]) == 205
    assert len(memory.get_all(user_id="max")["results"]) == 20


@pytest.mark.parametrize(
    "text", ["one\r\ntwo\rthree", "a\u2028b\x0cc\x85d", "\ufeffx", "```\ncode", "<!-- open", "\U0001f375 茶"]
)
def test_any_text_comes_back_is_kept_once_and_can_be_changed(memory: Memory, text: str) -> None:
    memory_id = memory.add(text, user_id="eve")["results"][0]["id"]
    assert memory.get(memory_id)["memory"] == text.replace("\r\n", "\n").replace("\r", "\n")
    assert memory.add(text, user_id="eve")["results"] == []
    memory.update(memory_id, f"{text}!")
    assert memory.get(memory_id)["memory"].endswith("!")
    memory.delete(memory_id)
