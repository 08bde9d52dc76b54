"""Memory: code that was written for mem0 (`from mem0 import Memory`), on an appliance, by a change of that import.

Each `user_id` (or `agent_id` where no user is named) has an agent of its own on the appliance, so the server keeps them
apart, not this class. A memory is one Markdown file of that agent, `memory/mem0/<uuid>.md`; who it belongs to and its
metadata are its front matter.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Concatenate, ParamSpec, TypeVar

from memory_appliance_client.calls import Message
from memory_appliance_client.client import Client
from memory_appliance_client.errors import Conflict, Forbidden, NotFound

FOLDER = "memory/mem0/"
IDS = ("user_id", "agent_id", "run_id")
TIMES = ("created_at", "updated_at")
MOST_RESULTS = 100
"""What one search of the API gives at most."""
READ = 100
"""Files that are read by one call."""
LARGEST = 1024 * 1024
"""Bytes of a memory: no request of the API is larger."""

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?")
_DIGEST = re.compile(r".*-[0-9a-f]{12}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_OWN = re.compile(r"memory/mem0/[0-9a-f-]{36}\.md")

P = ParamSpec("P")
T = TypeVar("T")
Memories = dict[str, Any]


class Memory:
    """`add`, `search`, `get`, `get_all`, `update`, `delete` and `delete_all` with the arguments and answers of mem0.

    `client`: made from the environment unless given; its key needs the rights `read` and `write`. `agents`: the
    appliance's agent for an id; `agent_of` is the rule for all others. An agent that is missing is made by `add` when
    the key may do so (an admin key for all agents). Every call is one of the private chat `agent:<slug>:direct:mem0`.
    """

    def __init__(self, *, client: Client | None = None, agents: Mapping[str, str] | None = None) -> None:
        self.client, self.agents = client or Client(), dict(agents or {})

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """`{"url", "key", "agents"}`. Raises `ValueError` for sections of mem0's own (llm, vector_store, …)."""
        if unknown := sorted(set(config_dict) - {"url", "key", "agents"}):
            raise ValueError(f"Leave out {', '.join(unknown)}: models and stores are set on the appliance.")
        return cls(client=Client(config_dict.get("url"), key=config_dict.get("key")), agents=config_dict.get("agents"))

    def add(
        self,
        /,
        messages: str | Mapping[str, str] | Sequence[Mapping[str, str]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
    ) -> Memories:
        """Keep a text as it is, or what is worth keeping of a conversation.

        With `infer` the appliance picks the facts of a list of messages (`POST …/flush`); without, each message is a
        memory. What is there already is not added again. `notices` says what could not be done as it should.
        """
        ids = _ids(user_id=user_id, agent_id=agent_id, run_id=run_id)
        front = {**ids, **_metadata(metadata)}
        agent = self._agent(ids)
        try:
            return self._add(agent, messages, ids, front, infer=infer)
        except NotFound as error:
            self._make(agent, error)
            return self._add(agent, messages, ids, front, infer=infer)

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        **ids: str | None,
    ) -> Memories:
        """The memories that answer the query, best first, and passages of that agent's other notes.

        `filters` takes `user_id`, `agent_id`, `run_id` and values of metadata, all of which must be equal; ids may be
        given as arguments too. A filter beyond the first id leaves other notes out, and looks at the best 100 hits.
        `notices` names what was missing on the way. Raises `Denied` or `Unavailable` rather than finding nothing.
        """
        agent, wanted = self._asked(filters, ids)
        narrowed = len(wanted) > 1
        many = narrowed or agent.agent in self.agents.values()  # others' memories may lie among them
        try:
            answer = agent.search(
                query, session=_session(agent), max_results=MOST_RESULTS if many else min(top_k, MOST_RESULTS),
                min_score=threshold, mode="query" if rerank else None, citations="off",
            ).checked()  # fmt: skip
        except NotFound as error:
            return {"results": [], "notices": self._nothing_yet(agent, error)}
        own = _read(agent, [hit.path for hit in answer.results if _OWN.fullmatch(hit.path)])
        found: dict[str, Memories] = {}
        for hit in answer.results:
            memory = own.get(hit.path)
            if memory is not None and not _fits(memory, wanted):
                continue
            if memory is None and not narrowed and not _OWN.fullmatch(hit.path):
                place = f"{hit.path}#L{hit.start_line}-L{hit.end_line}"
                memory = {"id": f"{agent.agent}:{place}", "memory": hit.snippet.strip(), "metadata": {"source": place}}
            if memory is not None:
                found.setdefault(memory["id"], {**memory, "score": hit.score})
        return {"results": list(found.values())[:top_k], "notices": answer.notices}

    def get_all(self, /, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, **ids: str | None) -> Memories:
        """The memories that `add` has kept, the latest first; filters as in `search`."""
        agent, wanted = self._asked(filters, ids)
        try:
            fitting = (memory for memory in _all(agent) if _fits(memory, wanted))
            return {"results": list(islice(fitting, top_k)), "notices": []}
        except NotFound as error:
            return {"results": [], "notices": self._nothing_yet(agent, error)}

    def get(self, /, memory_id: str) -> Memories:
        """Raises `NotFound`."""
        agent, path = self._place(memory_id)
        return _memory(agent, path, _text(agent, path))

    def update(self, /, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None) -> Memories:
        """Another text; its metadata stay unless others are given. Raises `NotFound`."""
        agent, path = self._place(memory_id)
        before = _text(agent, path)
        front, _body = _parsed(before)
        if metadata is not None:
            front = {name: value for name, value in front.items() if name in (*IDS, *TIMES)} | _metadata(metadata)
        front["updated_at"] = _now()
        expected = hashlib.sha256(before.encode()).hexdigest()
        agent.save_file(path, _written(front, data), expected_hash=expected)
        return {"message": "Memory updated successfully!"}

    def delete(self, /, memory_id: str) -> Memories:
        """Out of the file, the index and every kept version. Raises `NotFound`."""
        agent, path = self._place(memory_id)
        _text(agent, path)
        agent.forget(path=path)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, /, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Memories:
        """All that `add` has kept under these ids; other notes of the agent stay."""
        agent, wanted = self._asked(None, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        try:
            for memory in [memory for memory in _all(agent) if _fits(memory, wanted)]:
                agent.forget(path=self._place(memory["id"])[1])
        except NotFound as error:
            self._nothing_yet(agent, error)
        return {"message": "Memories deleted successfully!"}

    def agent_of(self, kind: str, value: str) -> str:
        """The appliance's agent for a `user_id` or `agent_id`: `mem0-user-alice`.

        What is no plain slug gets a digest, so that two ids never share an agent.
        """
        if value in self.agents:
            return self.agents[value]
        plain = value
        if not _SLUG.fullmatch(value) or _DIGEST.fullmatch(value):
            words = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:24].strip("-") or "id"
            plain = f"{words}-{hashlib.sha256(value.encode()).hexdigest()[:12]}"
        return f"mem0-{kind.removesuffix('_id')}-{plain}"

    def _agent(self, ids: Mapping[str, str]) -> Client:
        kind = "user_id" if "user_id" in ids else "agent_id"
        if kind not in ids:
            raise ValueError("Name a user_id or an agent_id: a run_id alone has no memory of its own here.")
        return self.client.for_agent(self.agent_of(kind, ids[kind]))

    def _asked(self, filters: Mapping[str, Any] | None, ids: Mapping[str, str | None]) -> tuple[Client, dict[str, Any]]:
        """The agent, and what its memories must hold."""
        wanted = {**(filters or {}), **_ids(**ids)}
        for name, value in wanted.items():
            if name in ("AND", "OR", "NOT") or isinstance(value, (dict, list)):
                raise ValueError(f"The filter {name} is not understood: give values that must be equal.")
        wanted = {name: value for name, value in wanted.items() if name not in IDS or value}
        return self._agent({name: str(wanted[name]) for name in IDS if name in wanted}), wanted

    def _add(
        self, agent: Client, messages: Any, ids: Mapping[str, str], front: Mapping[str, Any], *, infer: bool
    ) -> Memories:
        notices: list[str] = []
        if isinstance(messages, str):
            texts = [messages]
        else:
            turns = [messages] if isinstance(messages, Mapping) else list(messages)
            said = [Message(turn["role"], _words(turn["content"])) for turn in turns if turn["role"] != "system"]
            texts = [message.text for message in said]
            if infer:
                picked = agent.flush(session_key=_session(agent), messages=said, dry_run=True).checked()
                texts = [note.text for note in picked.written]
                notices = [*picked.notices, *([picked.reason] if picked.reason else [])]
        results = []
        for text in dict.fromkeys(_plain(text) for text in texts):
            if text and (path := _keep(agent, text, ids, front)):
                results.append({"id": _public(agent, path), "memory": text, "event": "ADD"})
        return {"results": results, "notices": notices}

    def _is_new(self, agent: Client, error: NotFound) -> bool:
        """Whether nothing was added for this id yet. An agent that `agents` names must exist."""
        return error.code == "not_found" and agent.agent not in self.agents.values()

    def _nothing_yet(self, agent: Client, error: NotFound) -> list[str]:
        if not self._is_new(agent, error):
            raise error
        return [f"nothing was added yet: there is no agent {agent.agent}, or the key is not for it"]

    def _make(self, agent: Client, error: NotFound) -> None:
        """The agent, as it is missing. Raises the `error`, told better, when the key may not make it."""
        if not self._is_new(agent, error):
            raise error
        try:
            agent.create_agent(agent.agent)
        except Conflict as conflict:  # another process was a moment faster
            if conflict.code != "agent_exists":
                raise
        except Forbidden:
            raise NotFound(
                f"There is no agent {agent.agent}.", code="not_found", status=404,
                hint="Create it, or name another one by agents={id: slug}, or use an admin key for all agents.",
            ) from error  # fmt: skip

    def _place(self, memory_id: str) -> tuple[Client, str]:
        """Raises `ValueError` for an id that `add` did not give."""
        slug, _colon, name = memory_id.partition(":")
        path = f"{FOLDER}{name}.md"
        if not re.fullmatch(r"[a-z0-9-]{1,63}", slug) or not _OWN.fullmatch(path):
            raise ValueError(f"{memory_id} is no memory that was added here; other notes are changed on the appliance.")
        return self.client.for_agent(slug), path


def _in_thread(method: Callable[Concatenate[Memory, P], T]) -> Callable[Concatenate[AsyncMemory, P], Awaitable[T]]:
    @functools.wraps(method)
    async def in_thread(memory: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(method, memory.memory, *args, **kwargs)

    return in_thread


class AsyncMemory:
    """`Memory` to await, as mem0's: each call runs in a thread."""

    def __init__(self, *, client: Client | None = None, agents: Mapping[str, str] | None = None) -> None:
        self.memory = Memory(client=client, agents=agents)

    add = _in_thread(Memory.add)
    search = _in_thread(Memory.search)
    get_all = _in_thread(Memory.get_all)
    get = _in_thread(Memory.get)
    update = _in_thread(Memory.update)
    delete = _in_thread(Memory.delete)
    delete_all = _in_thread(Memory.delete_all)


def _words(content: object) -> str:
    """The text of a message; pictures and the like are left out."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _plain(text: str) -> str:
    """As it comes back from the file."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _ids(**given: str | None) -> dict[str, str]:
    if unknown := sorted(given.keys() - set(IDS)):
        raise TypeError(f"unknown arguments: {', '.join(unknown)}")
    return {name: str(value).strip() for name, value in given.items() if value is not None and str(value).strip()}


def _metadata(given: Mapping[str, Any] | None) -> dict[str, Any]:
    for name in given or {}:
        if not _NAME.fullmatch(name) or name in (*IDS, *TIMES):
            raise ValueError(f"{name!r} cannot be the name of metadata: use letters, digits, - and _, and no id.")
    return dict(given or {})


def _session(agent: Client) -> str:
    return f"agent:{agent.agent}:direct:mem0"


def _keep(agent: Client, text: str, ids: Mapping[str, str], front: Mapping[str, Any]) -> str:
    """The new file; "" when this text is a memory under these ids already."""
    name = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([text, sorted(ids.items())]))
    written = _written({**front, "created_at": _now()}, text)
    path = f"{FOLDER}{name}.md"
    try:
        agent.save_file(path, written)
    except Conflict as conflict:
        if conflict.code != "file_changed":
            raise
        if _parsed(_text(agent, path))[1] == text:
            return ""
        path = f"{FOLDER}{uuid.uuid4()}.md"  # that memory says something else since it was updated
        agent.save_file(path, written)
    return path


def _all(agent: Client) -> list[Memories]:
    """Every memory of the agent, the latest first."""
    answer = agent.multi_get(glob=f"{FOLDER}*.md", session=_session(agent), max_bytes=LARGEST).checked()
    found = {item.path: _memory(agent, item.path, item.text) for item in answer.items if item.status == "ok"}
    left = [item.path for item in answer.items if item.code == "too_large"]  # beyond what one call answers
    for start in range(0, len(left), READ):
        found |= _read(agent, left[start : start + READ])
    own = [memory for path, memory in found.items() if _OWN.fullmatch(path)]
    return sorted(own, key=lambda memory: str(memory.get("updated_at") or memory.get("created_at")), reverse=True)


def _read(agent: Client, paths: Sequence[str]) -> dict[str, Memories]:
    """By path, in this order; without those that were deleted meanwhile."""
    wanted = list(dict.fromkeys(paths))
    if not wanted:
        return {}
    answer = agent.multi_get(wanted, session=_session(agent), max_bytes=LARGEST).checked()
    found = {}
    for item in answer.items:
        if item.code == "too_large":  # all of them together
            item = agent.multi_get([item.path], session=_session(agent), max_bytes=LARGEST).items[0]
        if item.status != "not_found":
            found[item.path] = _memory(agent, item.path, item.checked().text)
    return found


def _text(agent: Client, path: str) -> str:
    """The whole file, with its last line break. Raises `NotFound` and `Denied`."""
    answer = agent.multi_get([path], session=_session(agent), max_bytes=LARGEST).checked()
    return answer.items[0].checked().text + "\n"


def _memory(agent: Client, path: str, text: str) -> Memories:
    front, body = _parsed(text)
    known = {name: front.pop(name) for name in (*IDS, *TIMES) if name in front}
    memory = {"id": _public(agent, path), "memory": body, "hash": hashlib.sha256(body.encode()).hexdigest(), **known}
    return {**memory, "metadata": front}


def _fits(memory: Memories, wanted: Mapping[str, Any]) -> bool:
    held = {**memory.get("metadata", {}), **memory}
    return all(name in held and held[name] == value for name, value in wanted.items())


def _public(agent: Client, path: str) -> str:
    return f"{agent.agent}:{path.removeprefix(FOLDER).removesuffix('.md')}"


def _written(front: Mapping[str, Any], text: str) -> str:
    """Front matter whose values are JSON, which YAML reads too."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in front.items()]
    return "\n".join(["---", *lines, "---", "", _plain(text), ""])


def _parsed(text: str) -> tuple[dict[str, Any], str]:
    """Front matter and body. A value that a person has changed to what is no JSON is a text."""
    head, mark, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not mark:
        return {}, text.strip()
    front: dict[str, Any] = {}
    for line in head.split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            try:
                front[name.strip()] = json.loads(value)
            except ValueError:
                front[name.strip()] = value.strip()
    return front, body.strip()


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
