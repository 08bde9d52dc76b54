"""The calls of the API: what each asks for and how its answer is read. `Client` and `AsyncClient` make methods of them.

`session` names the chat that asks, by its key (`agent:home:telegram:direct:42`) or as a `Session`. Without one the call
is the owner's own for trusted and admin keys, and of an unknown chat for all others. None leaves a value to the agent's
settings. Every call raises `ApplianceError`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar
from urllib.parse import quote

import httpx

from memory_appliance_client import answers
from memory_appliance_client.answers import Answer

T = TypeVar("T")
A = TypeVar("A", bound=Answer)

Mode = Literal["hybrid", "search", "vsearch", "query"]
Corpus = Literal["memory", "sessions", "all"]

RECALL_SECONDS = 15.0
"""What a recall takes at most unless another `timeout_ms` is given; its answer may come 3 seconds later."""
LONG_SECONDS = 120.0
"""What a call that works through much (a flush, an export) may take."""


@dataclass(frozen=True)
class Session:
    """The chat that asks. Fields beside `key` can only narrow what the key derives."""

    key: str | None = None
    chat_type: str | None = None
    channel: str | None = None
    chat_id: str | None = None
    user: str | None = None
    projects: Sequence[str] = ()


@dataclass(frozen=True)
class Message:
    """One turn of a chat. A message with an `id` is stored once, however often it is sent. `at`: ISO 8601."""

    role: str
    text: str
    id: str = ""
    at: str = ""


AnySession = Session | str | None
AnyMessage = Message | Mapping[str, Any]


class Asks(Protocol):
    """The agent that a call is about."""

    @property
    def agent(self) -> str: ...


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request. `seconds`: the least time to wait for its answer; `patience`: the most, for retries."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    body: Mapping[str, Any] | None = None
    params: Mapping[str, Any] | None = None
    content: bytes | None = None
    seconds: float = 0.0
    patience: float = float("inf")


def search(
    client: Asks,
    /,
    query: str,
    *,
    session: AnySession = None,
    mode: Mode | None = None,
    max_results: int | None = None,
    min_score: float | None = None,
    collections: Sequence[str] | None = None,
    corpus: Corpus | None = None,
    citations: Literal["auto", "on", "off"] | None = None,
    explain: bool | None = None,
    abstain: bool | None = None,
    intent: str | None = None,
    deadline_ms: int | None = None,
    keyword_fill: bool | None = None,
    ranking: Mapping[str, Any] | None = None,
) -> Call[answers.SearchAnswer]:
    """Passages that answer the query, best first; `ranking` are numbers of the ranking for this search alone."""
    body = {
        "query": query, "session": _session(session), "mode": mode, "max_results": max_results,
        "min_score": min_score, "collections": collections, "corpus": corpus, "citations": citations,
        "explain": explain, "abstain": abstain, "intent": intent, "deadline_ms": deadline_ms,
        "keyword_fill": keyword_fill, "ranking": ranking,
    }  # fmt: skip
    return _post(client, "search", answers.SearchAnswer, body)


def get(
    client: Asks,
    /,
    path: str,
    *,
    session: AnySession = None,
    from_: int | None = None,
    lines: int | None = None,
    offset: int | None = None,
    sanitize: bool | None = None,
) -> Call[answers.GetAnswer]:
    """Lines of one file, by path, `#docid` or a hit's citation. `sanitize`: for a text that a model will read."""
    body: dict[str, Any] = {"path": path, "session": _session(session), "from": from_, "lines": lines, "offset": offset}
    return _post(client, "get", answers.GetAnswer, {**body, "sanitize": sanitize})


def multi_get(
    client: Asks,
    /,
    paths: Sequence[str] | None = None,
    *,
    glob: str | None = None,
    session: AnySession = None,
    max_bytes: int | None = None,
    sanitize: bool | None = None,
) -> Call[answers.MultiGetAnswer]:
    """Several files at once, by `paths` or by `glob`; what cannot be read is named in its own item."""
    body: dict[str, Any] = {
        "paths": paths,
        "glob": glob,
        "session": _session(session),
        "max_bytes": max_bytes,
        "sanitize": sanitize,
    }
    return _post(client, "multi_get", answers.MultiGetAnswer, body)


def recall(
    client: Asks,
    /,
    message: str,
    *,
    session: AnySession = None,
    history: Iterable[AnyMessage] | None = None,
    mode: Literal["escalate", "always", "off"] | None = None,
    query_mode: Literal["message", "recent", "full"] | None = None,
    timeout_ms: int | None = None,
) -> Call[answers.RecallAnswer]:
    """What memory holds about the user's latest message: `context` is the block to prepend, `reason` says why not."""
    said = None if history is None else [{"role": one["role"], "text": one["text"]} for one in map(_message, history)]
    body = {"message": message, "session": _session(session), "history": said, "mode": mode}
    seconds = RECALL_SECONDS if timeout_ms is None else timeout_ms / 1000
    return dataclasses.replace(
        _post(client, "recall", answers.RecallAnswer, {**body, "query_mode": query_mode, "timeout_ms": timeout_ms}),
        seconds=seconds + 5,
        patience=seconds,
    )


def recall_ready(client: Asks, /, session_key: str | None = None) -> Call[answers.ReadyAnswer]:
    """Whether a turn of this chat would be recalled for, and if not, which gate is closed."""
    return _get(client, "recall/ready", answers.ReadyAnswer, {"session_key": session_key})


def recall_events(
    client: Asks, /, *, status: str | None = None, limit: int | None = None
) -> Call[answers.EventsAnswer]:
    """One event per turn, newest first."""
    return _get(client, "recall_events", answers.EventsAnswer, {"status": status, "limit": limit})


def toggle_recall(client: Asks, /, enabled: bool, *, session: AnySession = None) -> Call[answers.ToggleAnswer]:
    """Recall on or off for one chat, or for all chats of the agent."""
    return _post(client, "recall/toggle", answers.ToggleAnswer, {"session": _session(session), "enabled": enabled})


def context(client: Asks, /, *, session: AnySession = None, now: str | None = None) -> Call[answers.ContextAnswer]:
    """The text that opens a new chat: the curated memory and the last days, by the rules."""
    return _post(client, "context", answers.ContextAnswer, {"session": _session(session), "now": now})


def note(
    client: Asks,
    /,
    text: str,
    *,
    target: str | None = None,
    importance: int | None = None,
    triggers: Sequence[str] | None = None,
    idempotency_key: str | None = None,
    session: AnySession = None,
) -> Call[answers.NoteAnswer]:
    """Write something down. `target`: `daily` (today's log, unless given), `memory`, `user`, or a path."""
    body: dict[str, Any] = {"text": text, "target": target, "importance": importance, "triggers": triggers}
    body |= {"idempotency_key": idempotency_key, "session": _session(session)}
    return _post(client, "notes", answers.NoteAnswer, body)


def store_messages(client: Asks, /, session_key: str, messages: Iterable[AnyMessage]) -> Call[answers.StoredAnswer]:
    """Keep turns of a chat. Give ids: a message whose id is stored already changes nothing."""
    return _post(client, _chat(session_key, "messages"), answers.StoredAnswer, {"messages": _messages(messages)})


def store_jsonl(client: Asks, /, session_key: str, lines: bytes) -> Call[answers.StoredAnswer]:
    """Keep a transcript file as OpenClaw or Claude Code wrote it. The same file twice brings nothing new."""
    place = _address(client, _chat(session_key, "jsonl"))
    return Call("POST", place, _json(answers.StoredAnswer), content=lines, seconds=LONG_SECONDS)


def messages(
    client: Asks, /, session_key: str, *, limit: int | None = None, before: str | None = None
) -> Call[answers.ConversationAnswer]:
    """What was said in a chat since its last reset, oldest first; the page before with `before=answer.older`."""
    params = {"limit": limit, "before": before}
    return _get(client, _chat(session_key, "messages"), answers.ConversationAnswer, params)


def reset(
    client: Asks, /, session_key: str, *, reason: Literal["new", "reset"] | None = None
) -> Call[answers.ResetAnswer]:
    """The chat starts anew: its last 15 messages become a dated note, all of it stays searchable."""
    return _post(client, _chat(session_key, "reset"), answers.ResetAnswer, {"reason": reason})


def flush(
    client: Asks,
    /,
    *,
    session_key: str | None = None,
    messages: Iterable[AnyMessage] | None = None,
    cycle: int | str | None = None,
    deadline_ms: int | None = None,
    dry_run: bool | None = None,
) -> Call[answers.FlushAnswer]:
    """What is worth keeping of a conversation becomes notes; with `dry_run` it is only named."""
    body: dict[str, Any] = {"session_key": session_key, "cycle": cycle, "deadline_ms": deadline_ms, "dry_run": dry_run}
    body["messages"] = None if messages is None else _messages(messages)
    seconds = LONG_SECONDS if deadline_ms is None else deadline_ms / 1000 + 30
    return dataclasses.replace(_post(client, "flush", answers.FlushAnswer, body), seconds=seconds)


def consolidate(client: Asks, /, *, dry_run: bool | None = None) -> Call[answers.ConsolidateAnswer]:
    """Promote notes that searches keep using to MEMORY.md; with `dry_run` only show the change."""
    call = _post(client, "consolidate", answers.ConsolidateAnswer, {"dry_run": dry_run})
    return dataclasses.replace(call, seconds=LONG_SECONDS)


def forget(
    client: Asks, /, *, path: str | None = None, session_key: str | None = None, dry_run: bool | None = None
) -> Call[answers.ForgetAnswer]:
    """Take a file, or all that came from one chat, out of the memory; `stays` names what is left elsewhere."""
    body = {"path": path, "session_key": session_key, "dry_run": dry_run}
    return dataclasses.replace(_post(client, "forget", answers.ForgetAnswer, body), seconds=LONG_SECONDS)


def status(client: Asks, /) -> Call[answers.StatusAnswer]:
    """Files, chunks and vectors of the index, and what could not be read."""
    return _get(client, "status", answers.StatusAnswer)


def files(client: Asks, /, *, limit: int | None = None, offset: int | None = None) -> Call[answers.FilesAnswer]:
    """The files of all collections, a page at a time."""
    return _get(client, "files", answers.FilesAnswer, {"limit": limit, "offset": offset})


def read_file(client: Asks, /, path: str) -> Call[answers.ContentAnswer]:
    """The whole file with its hash, as the owner: for trusted and admin keys."""
    return _get(client, "files/content", answers.ContentAnswer, {"path": path})


def save_file(client: Asks, /, path: str, text: str, *, expected_hash: str = "") -> Call[answers.SavedAnswer]:
    """Replace the file that was read with this hash; "" makes a new one. Raises `Conflict` when it has changed."""
    body = {"path": path, "text": text, "expected_hash": expected_hash}
    return Call("PUT", _address(client, "files/content"), _json(answers.SavedAnswer), body=body)


def versions(client: Asks, /, path: str, *, limit: int | None = None) -> Call[answers.HistoryAnswer]:
    """Every content that the file has had, newest first, with who and when."""
    return _get(client, "files/history", answers.HistoryAnswer, {"path": path, "limit": limit})


def restore(client: Asks, /, path: str, version: str) -> Call[answers.SavedAnswer]:
    """Bring an earlier version back; what the file holds now becomes a version itself."""
    return _post(client, "files/restore", answers.SavedAnswer, {"path": path, "version": version})


def export(client: Asks, /) -> Call[bytes]:
    """A zip of the agent's Markdown and its settings."""
    return Call("GET", _address(client, "export"), lambda response: response.content, seconds=LONG_SECONDS)


def update(client: Asks, /) -> Call[answers.StartedAnswer]:
    """Look at every file now. Ask `run(answer.run.id)` for its progress."""
    return _post(client, "update", answers.StartedAnswer)


def rebuild(client: Asks, /) -> Call[answers.StartedAnswer]:
    """Build the index anew beside the old one."""
    return _post(client, "rebuild", answers.StartedAnswer)


def run(client: Asks, /, run_id: int) -> Call[answers.RunAnswer]:
    """A background job: its state, progress and error."""
    return Call("GET", f"/runs/{int(run_id)}", _json(answers.RunAnswer))


def agents(client: Asks, /) -> Call[answers.AgentList]:
    """The agents that the key is for. Needs the right `admin`."""
    return Call("GET", "/agents", _json(answers.AgentList))


def create_agent(
    client: Asks, /, slug: str, *, name: str | None = None, workspace: str | None = None, timezone: str | None = None
) -> Call[answers.AgentAnswer]:
    """A new agent with a memory of its own. Needs an admin key for all agents."""
    body = _given({"slug": slug, "name": name, "workspace": workspace, "timezone": timezone})
    return Call("POST", "/agents", _json(answers.AgentAnswer), body=body)


def request(
    client: Asks,
    /,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
) -> Call[Any]:
    """Any other call of the API, such as `request("GET", "/keys")`: the answer's JSON, None when it has none."""
    return Call(method, path, lambda answer: answer.json() if answer.content else None, body=body, params=params)


def _post(client: Asks, path: str, answer: type[A], body: Mapping[str, Any] | None = None) -> Call[A]:
    return Call("POST", _address(client, path), _json(answer), body=None if body is None else _given(body))


def _get(client: Asks, path: str, answer: type[A], params: Mapping[str, Any] | None = None) -> Call[A]:
    return Call("GET", _address(client, path), _json(answer), params=_given(params or {}))


def _json(answer: type[A]) -> Callable[[httpx.Response], A]:
    return lambda response: answer.read(response.json())


def _address(client: Asks, path: str) -> str:
    return f"/agents/{quote(client.agent, safe='')}/{path}"


def _chat(session_key: str, what: str) -> str:
    return f"transcripts/{quote(session_key, safe='')}/{what}"


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _session(session: AnySession) -> dict[str, Any] | None:
    if session is None:
        return None
    if isinstance(session, str):
        return {"key": session}
    return {name: value for name, value in dataclasses.asdict(session).items() if value not in (None, ())}


def _messages(messages: Iterable[AnyMessage]) -> list[dict[str, Any]]:
    return [_message(one) for one in messages]


def _message(message: AnyMessage) -> dict[str, Any]:
    if isinstance(message, Message):
        return dataclasses.asdict(message)
    given = dict(message)
    if "content" in given:  # as the model vendors name it
        given["text"] = given.pop("content")
    return given
