"""What the API answers, as frozen dataclasses with the names of its description (docs/openapi.json).

A field that a newer server adds is in `raw`; one that an older server lacks has its default. Words such as `outcome`
are plain strings, so that a new one breaks no client.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar

from memory_appliance_client.errors import Denied, InvalidRequest, NotFound, Unavailable

T = TypeVar("T", bound="Answer")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`raw`: the JSON object as it came."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls: type[T], data: Mapping[str, Any]) -> T:
        """Raises `KeyError`, `TypeError` or `ValueError` for what is no such answer."""
        known = {}
        for name, kind in _kinds(typing.cast(Any, cls)).items():
            key = name.rstrip("_")
            if key in data:
                known[name] = _value(kind, data[key])
        return cls(raw=data, **known)

    @property
    def notices(self) -> list[str]:
        """What was denied, skipped, degraded or cut short, a line each; empty when nothing was."""
        return list(_notices(self.raw))

    def checked(self: T) -> T:
        """This answer, unless it is empty because it was refused or could not be given.

        Raises `Denied`, `Unavailable`, `NotFound` (a missing file) or `InvalidRequest` (a path that is not allowed):
        the API answers these with HTTP 200, so that a gateway can go on.
        """
        word, told = _word(self.raw), "; ".join(self.notices)
        if word == "denied":
            hint = "Give the session of a chat that the agent's scope rules allow, or use a trusted key."
            raise Denied(f"This chat may not see the memory ({told}).", hint=hint)
        if word in ("unavailable", "failed"):
            raise Unavailable(f"The memory cannot answer ({told}).", code=word, hint="See the agent's status.")
        if word == "not_found":
            raise NotFound(f"There is no file {self.raw.get('path')}.", code=word, hint="See `files()`.")
        if word == "error":
            raise InvalidRequest(str(self.raw.get("error")), code=str(self.raw.get("code")), field="path")
        return self


def _word(raw: Mapping[str, Any]) -> str:
    return str(raw.get("outcome") or raw.get("status") or "")


def _notices(raw: Mapping[str, Any]) -> Iterator[str]:
    word = _word(raw)
    why = (raw.get("scope") or {}).get("reason") or raw.get("error") or raw.get("reason") or raw.get("code")
    if word in ("denied", "unavailable", "failed", "timeout", "timeout_partial", "error", "refused"):
        yield f"{word}: {why}" if why else word
    for part in raw.get("degraded") or ():
        yield f"{part['code']}: {part['detail']}"
    yield from raw.get("warnings") or ()
    for one in raw.get("skipped") or ():
        yield f"message {one['index']} was not kept: {one['reason']}"
    if raw.get("passed"):
        yield f"{raw['passed']} lines are too long to be read here"
    if raw.get("indexed") is False:
        yield "not indexed yet: it is found within seconds"
    if raw.get("index_behind"):
        yield "index_behind: what was written last elsewhere was not read in time"
    if raw.get("dispatched") is False:
        yield "the broker does not answer: the job starts when it is back"


@cache
def _kinds(cls: type[Answer]) -> dict[str, Any]:
    hints = typing.get_type_hints(cls, vars(sys.modules[cls.__module__]))
    return {one.name: hints[one.name] for one in fields(cls) if one.name != "raw"}


def _value(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        (kind,) = (one for one in typing.get_args(kind) if one is not type(None))
    if typing.get_origin(kind) is list:
        (inner,) = typing.get_args(kind)
        return [_value(inner, one) for one in value]
    if isinstance(kind, type) and issubclass(kind, Answer):
        return kind.read(value)
    return value


@dataclass(frozen=True, kw_only=True)
class HitAnswer(Answer):
    """One passage. Lines are 1-based and inclusive, scores between 0 and 1. `origin`: who stands behind the text."""

    path: str
    start_line: int
    end_line: int
    score: float
    vector_score: float
    keyword_score: float
    rerank_score: float | None = None
    snippet: str
    snippet_start_line: int
    snippet_end_line: int
    snippet_lines: list[list[int]]
    collection: str
    source: str
    docid: str
    origin: str
    citation: str | None = None
    pages: list[int] | None = None
    importance: int | None = None
    date: str | None = None
    explain: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class DegradationAnswer(Answer):
    code: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class DenialAnswer(Answer):
    rule: int | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(Answer):
    """`outcome`: ok, empty, abstained, denied or unavailable. `degraded` names what was missing on the way."""

    outcome: str
    reason: str = ""
    results: list[HitAnswer]
    mode: str
    requested_mode: str
    provider: str
    model: str
    citations: str
    degraded: list[DegradationAnswer]
    partial: bool
    scope: DenialAnswer | None = None
    warnings: list[str] = field(default_factory=list)
    took_ms: float
    timings_ms: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class GetAnswer(Answer):
    """A missing file is `not_found`, a forbidden path `error`, both with an empty text and HTTP 200."""

    status: str
    path: str
    text: str
    from_: int
    lines: int
    total_lines: int
    truncated: bool
    next_from: int | None = None
    next_offset: int | None = None
    code: str | None = None
    error: str | None = None
    derived: bool = False
    pages: list[int] | None = None
    total_pages: int = 0
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class MultiGetAnswer(Answer):
    status: str
    items: list[GetAnswer]
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class IntentAnswer(Answer):
    verdict: str
    score: float
    evidence: str


@dataclass(frozen=True, kw_only=True)
class SourceAnswer(Answer):
    path: str
    start_line: int
    end_line: int
    pages: list[int] | None = None


@dataclass(frozen=True, kw_only=True)
class RecallAnswer(Answer):
    """`context` is the block to prepend to the prompt, escaped and marked as untrusted; "" when there is none."""

    status: str
    lane: str | None
    reason: str
    intent: IntentAnswer | None = None
    summary: str
    sources: list[SourceAnswer]
    context: str
    elapsed_ms: float
    summary_chars: int
    event_id: int | None
    scope: DenialAnswer | None = None
    index_behind: bool = False


@dataclass(frozen=True, kw_only=True)
class StepAnswer(Answer):
    name: str
    took_ms: float
    detail: str


@dataclass(frozen=True, kw_only=True)
class EventAnswer(Answer):
    """`query` is the terms looked for, or the whole query when the agent stores messages; then `message` is there."""

    id: int
    at: str
    status: str
    reason: str
    lane: str | None
    session: str
    chat_type: str
    channel: str
    elapsed_ms: float
    steps: list[StepAnswer]
    query: str
    query_chars: int
    message: str | None
    intent: IntentAnswer | None
    sources: list[SourceAnswer]
    summary_chars: int
    detail: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class EventsAnswer(Answer):
    items: list[EventAnswer]


@dataclass(frozen=True, kw_only=True)
class ToggleAnswer(Answer):
    enabled: bool
    applies_to: str


@dataclass(frozen=True, kw_only=True)
class ReadyAnswer(Answer):
    """`reason` names the gate that is closed; null when a turn of this chat would come to the lanes."""

    ready: bool
    reason: str | None
    mode: str
    chat_type: str
    scope: DenialAnswer


@dataclass(frozen=True, kw_only=True)
class InjectedAnswer(Answer):
    path: str
    total_chars: int
    injected_chars: int
    truncated: bool


@dataclass(frozen=True, kw_only=True)
class ContextAnswer(Answer):
    """`text` opens a new chat. Whatever was cut is marked in it and named in `warnings`, with sizes."""

    outcome: str
    text: str
    files: list[InjectedAnswer]
    warnings: list[str]
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class NoteAnswer(Answer):
    """Where the text stands. `duplicate`: it stood there already and was not written again."""

    path: str
    start_line: int
    end_line: int
    duplicate: bool
    indexed: bool
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class SkippedAnswer(Answer):
    """A message that was not kept: its place in the list, from 0, and why."""

    index: int
    id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class StoredAnswer(Answer):
    stored: int
    duplicates: int
    unknown: int
    skipped: list[SkippedAnswer] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class SaidAnswer(Answer):
    """One message as search shows it: secrets masked, without blocks that a gateway has injected."""

    role: str
    text: str
    at: str | None


@dataclass(frozen=True, kw_only=True)
class ConversationAnswer(Answer):
    """What was said since the chat's last reset, oldest first. `older`: give it as `before` for those before these."""

    outcome: str
    items: list[SaidAnswer]
    older: str | None = None
    passed: int
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class ResetAnswer(Answer):
    """`path` is null when there was nothing to keep, or the rules refuse the chat; `reason` says which."""

    path: str | None
    messages: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class WrittenAnswer(Answer):
    """`source_index` is the message's place in the flushed list, from 0. In a dry run there are no lines yet: 0."""

    path: str
    start_line: int
    end_line: int
    kind: str
    text: str
    source_index: int


@dataclass(frozen=True, kw_only=True)
class FlushAnswer(Answer):
    """With `dry_run`, `written` is what would be noted, also what stands in the notes already."""

    status: str
    method: str
    written: list[WrittenAnswer]
    reason: str | None
    indexed: bool
    scope: DenialAnswer | None = None
    dry_run: bool = False


@dataclass(frozen=True, kw_only=True)
class PromotedAnswer(Answer):
    """`source` is the line that it was taken from."""

    text: str
    source: str
    importance: int
    triggers: list[str]


@dataclass(frozen=True, kw_only=True)
class ConsolidateAnswer(Answer):
    """`diff` is the change of MEMORY.md, made or only shown."""

    status: str
    dry_run: bool
    promoted: list[PromotedAnswer]
    superseded: list[str]
    diff: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class TakenAnswer(Answer):
    """A whole file, or lines of it as they are numbered now."""

    path: str
    whole: bool
    start_line: int
    end_line: int


@dataclass(frozen=True, kw_only=True)
class RemovedAnswer(Answer):
    """`versions`: kept earlier contents; `messages`: of the session's transcript."""

    texts: list[TakenAnswer]
    index_rows: int
    vectors: int
    versions: int
    messages: int


@dataclass(frozen=True, kw_only=True)
class StaysAnswer(Answer):
    what: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class ForgetAnswer(Answer):
    """With `dry_run` nothing has happened yet."""

    dry_run: bool
    removed: RemovedAnswer
    stays: list[StaysAnswer]


@dataclass(frozen=True, kw_only=True)
class Capabilities(Answer):
    fts: bool
    vectors: bool
    vector_engine: str


@dataclass(frozen=True, kw_only=True)
class ProblemAnswer(Answer):
    """A file or folder that was skipped, and why."""

    path: str
    problem: str


@dataclass(frozen=True, kw_only=True)
class CollectionStatusAnswer(Answer):
    name: str
    files: int
    chunks: int
    problems: list[ProblemAnswer]


@dataclass(frozen=True, kw_only=True)
class StatusAnswer(Answer):
    """`pending`: chunks whose vectors are still to be made."""

    files: int
    chunks: int
    embedded: int
    pending: int
    last_update: str | None
    last_error: str | None
    fingerprint: str
    capabilities: Capabilities
    collections: list[CollectionStatusAnswer]
    size_bytes: int
    degraded: list[DegradationAnswer]
    exists: bool
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class FileAnswer(Answer):
    path: str
    collection: str
    size: int
    modified: str
    chunks: int
    docid: str
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class FilesAnswer(Answer):
    items: list[FileAnswer]


@dataclass(frozen=True, kw_only=True)
class ContentAnswer(Answer):
    """A missing file has an empty text and an empty hash; saving with that hash makes it."""

    status: str
    path: str
    text: str
    hash: str
    size: int
    lossy: bool = False
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class SavedAnswer(Answer):
    path: str
    hash: str
    size: int
    changed: bool


@dataclass(frozen=True, kw_only=True)
class VersionAnswer(Answer):
    """One content the file has had; `at` is null for the one that was last edited on disk."""

    version: str
    at: str | None
    actor: str
    action: str
    size: int
    current: bool
    restorable: bool


@dataclass(frozen=True, kw_only=True)
class HistoryAnswer(Answer):
    """Newest first."""

    status: str
    path: str
    items: list[VersionAnswer]
    scope: DenialAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class ProgressAnswer(Answer):
    done: int
    total: int
    unit: str


@dataclass(frozen=True, kw_only=True)
class RunAnswer(Answer):
    id: int
    agent: str | None
    subject: str
    kind: str
    state: str
    reason: str
    progress: ProgressAnswer
    result: dict[str, Any]
    error: str | None
    cancel_requested: bool
    created_at: str
    started_at: str | None
    finished_at: str | None


@dataclass(frozen=True, kw_only=True)
class StartedAnswer(Answer):
    """`dispatched` false: the broker does not answer; the run starts as soon as it is back."""

    run: RunAnswer
    dispatched: bool


@dataclass(frozen=True, kw_only=True)
class AgentAnswer(Answer):
    slug: str
    name: str
    workspace: str
    timezone: str
    settings: dict[str, Any]
    last_update: str | None
    last_error: str | None
    created_at: str
    modified_at: str


@dataclass(frozen=True, kw_only=True)
class AgentList(Answer):
    items: list[AgentAnswer]
