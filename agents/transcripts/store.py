"""store_turns(): the turns of a chat are kept, once each, and found again by search.

| step | what | after a crash here |
|---|---|---|
| 1 | what an earlier crash left is taken into the records | – |
| 2 | the turns are appended to the part | step 1 of the next call records them, so that a retry finds them |
| 3 | their digests and the part's size, in one transaction | the Markdown is made with the next turns |
| 4 | the part's Markdown, and its index rows | – |
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.access.sessions import MAX_KEY_CHARS, canonical
from agents.core.actors import SYSTEM
from agents.core.errors import Invalid
from agents.core.paths import make_folder
from agents.core.quota import room_for
from agents.indexes.index_now import index_now
from agents.models import Agent, Collection, Flush, Transcript, TranscriptMessage
from agents.registry.collections import create_collection
from agents.servers.generations import note
from agents.transcripts.files import (
    PART_BYTES,
    append_turns,
    drop_torn_line,
    folder_name,
    is_behind,
    read_part,
    sessions_dir,
    transcript_lock,
    turns_path,
    write_markdown,
)
from agents.workspace.journal import unwritable
from search.documents.transcripts import Turn, read_turn
from search.marks import says_something
from search.sentences import sentence

COLLECTION = "sessions"
BATCH = 500
"""Turns per step: what an import of any length holds in memory."""
INDEXED_AT_ONCE = 4
"""Parts that one call indexes itself; more are left to the workers."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A turn that was not kept: its place among those that were given, from 0, and why."""

    index: int
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
    """`duplicates`: those whose id was stored already; those of them that say something else are named too."""

    stored: int
    duplicates: int
    unknown: int = 0
    """Of those stored, lines that are no messages of a known form."""
    skipped: tuple[Skipped, ...] = field(default=(), compare=False)


def store_turns(*, agent: Agent, session_key: str, turns: Iterable[Turn]) -> Stored:
    """Keep the turns of a chat; one whose id is stored already is a duplicate and changes nothing.

    A turn without an id is told by its time, role and text; without a time it is always new. What says nothing, and
    what says something else under an id that is taken, is named in the answer. Raises `Invalid`, `Conflict` and
    `WorkspaceUnwritable`.
    """
    stored, touched = keep_turns(agent=agent, session_key=session_key, turns=turns)
    index_parts(agent, touched)
    return stored


def keep_turns(*, agent: Agent, session_key: str, turns: Iterable[Turn]) -> tuple[Stored, list[str]]:
    """`store_turns` without the index: the parts that changed are the caller's to give to `index_parts`."""
    key = checked_key(session_key)
    touched: list[str] = []
    with transcript_lock(agent, key):
        transcript = open_transcript(agent, key)
        stored = _sort_out(transcript, turns, lambda fresh: touched.extend(_keep(transcript, fresh)))
    return stored, touched


def would_store(*, agent: Agent, session_key: str, turns: Iterable[Turn]) -> Stored:
    """What `store_turns` would answer now. Writes nothing."""
    return _sort_out(find_transcript(agent, checked_key(session_key)), turns, lambda _fresh: None)


def _sort_out(transcript: Transcript | None, turns: Iterable[Turn], keep: Callable[[list[Turn]], None]) -> Stored:
    stored = duplicates = unknown = at = 0
    skipped: list[Skipped] = []
    left = iter(turns)
    while batch := list(islice(left, BATCH)):
        fresh, clashing = _fresh(transcript, batch)
        empty = [place for place, turn in enumerate(batch) if not _says_something(turn)]
        skipped += [Skipped(at + place, batch[place].id, _why(batch[place])) for place in sorted(empty + clashing)]
        stored, duplicates = stored + len(fresh), duplicates + len(batch) - len(fresh) - len(empty)
        at += len(batch)
        unknown += sum(1 for turn in fresh if turn.raw and not turn.text)
        keep(fresh)
    return Stored(stored, duplicates, unknown, tuple(skipped))


def _why(turn: Turn) -> str:
    return sentence("another text is stored under this id") if _says_something(turn) else sentence("it has no text")


def _says_something(turn: Turn) -> bool:
    return says_something(turn.text) or bool(turn.raw)


def store_lines(*, agent: Agent, session_key: str, lines: Iterable[bytes]) -> Stored:
    """The same for lines of JSONL as OpenClaw, Claude Code or the appliance write them, however many there are."""
    texts = (line.decode("utf-8", "replace").strip() for line in lines)
    return store_turns(agent=agent, session_key=session_key, turns=(_identified(text) for text in texts if text))


def store_missing(transcript: Transcript, turns: Sequence[Turn]) -> list[str]:
    """Keep those of a whole conversation's turns that are not there yet, told by what they say and how often.

    The transcript's lock is held. Returns the parts that changed.
    """
    contents = [content_digest(turn) for turn in turns]
    there = Counter(contents_of(transcript, contents))
    missing = []
    for turn, content in zip(turns, contents, strict=True):
        if there[content]:
            there[content] -= 1
        else:
            missing.append(turn)
    touched: list[str] = []
    for start in range(0, len(missing), BATCH):
        batch = [_renamed(turn) for turn in missing[start : start + BATCH]]
        fresh, clashing = _fresh(transcript, batch)
        again = [_renamed(replace(batch[place], id="")) for place in clashing]
        touched += _keep(transcript, [*fresh, *again])
    return touched


def contents_of(
    transcript: Transcript, contents: Sequence[bytes], *, before_part: int | None = None
) -> Iterator[bytes]:
    """The content digests on record among these, each as often as it was stored."""
    rows = TranscriptMessage.objects.filter(transcript=transcript)
    if before_part is not None:
        rows = rows.filter(part__lt=before_part)
    for start in range(0, len(contents), BATCH):
        wanted = set(contents[start : start + BATCH])
        for content in rows.filter(content__in=wanted).values_list("content", flat=True):
            yield bytes(content)


def checked_key(session_key: str) -> str:
    """The key in the form that rules and records use. Raises `Invalid`."""
    key = canonical(session_key)
    if not key or len(key) > MAX_KEY_CHARS or not key.isprintable():
        raise Invalid(
            sentence("A session key has 1 to {max_key_chars} printable characters.", max_key_chars=MAX_KEY_CHARS),
            hint=sentence("Such as agent:home:telegram:direct:42."),
            field="session_key",
        )
    return key


def open_transcript(agent: Agent, key: str) -> Transcript:
    """The chat's record, made when it is new, in line with its files. The transcript's lock is held."""
    _take_over(agent, key)
    transcript, made = Transcript.objects.get_or_create(
        agent=agent, session_key=key, defaults={"folder": folder_name(key)}
    )
    transcript.agent = agent
    if made:
        _ensure_collection(agent)
    path = turns_path(transcript, transcript.part)
    before = transcript.size
    end = drop_torn_line(path, before)
    if end > before:
        _record(transcript, read_part(transcript, transcript.part, before), end)
    if is_behind(transcript, transcript.part):
        write_markdown(transcript, transcript.part)
        Agent.objects.filter(pk=agent.pk).update(update_requested_at=timezone.now())
    return transcript


def find_transcript(agent: Agent, key: str) -> Transcript | None:
    """Also the one that was kept under small letters, when keys had no others, and is not taken over yet."""
    mine = Q(session_key=key) | Q(session_key=key.lower(), folded=True)
    return Transcript.objects.filter(mine, agent=agent).order_by("folded").first()


def _take_over(agent: Agent, key: str) -> None:
    """The first chat that goes on with a transcript of small letters has it; its folder stays."""
    if Transcript.objects.filter(agent=agent, session_key=key, folded=False).exists():
        return
    old = Transcript.objects.filter(agent=agent, session_key=key.lower(), folded=True)
    if old.update(session_key=key, folded=False) and key != key.lower():
        Flush.objects.filter(agent=agent, session_key=key.lower()).update(session_key=key)


def next_part(transcript: Transcript) -> None:
    """The turns to come go into a new part, unless this one is still empty. The transcript's lock is held."""
    if transcript.size:
        transcript.part, transcript.size = transcript.part + 1, 0
        transcript.save(update_fields=["part", "size", "last_at"])


def close_parts(transcript: Transcript, *, up_to: int | None = None) -> list[str]:
    """What was said until now, or in the parts up to one, is before the model's eyes no more.

    The transcript's lock is held. Returns the parts that changed.
    """
    if up_to is None:
        next_part(transcript)
        up_to = transcript.part - 1
    parts = range(max(transcript.open_from, transcript.first_part), up_to + 1)
    transcript.open_from = max(transcript.open_from, up_to + 1)
    touched = [write_markdown(transcript, part) for part in parts]
    transcript.save(update_fields=["open_from", "last_at"])
    return touched


def index_parts(agent: Agent, names: Sequence[str]) -> bool:
    """Make these parts searchable now when they are few, else soon."""
    if not names:
        return True
    collection = agent.collections.filter(kind=Collection.Kind.SESSIONS, path=str(sessions_dir(agent))).first()
    if collection is None:
        return False
    paths = [f"{collection.name}/{name}" for name in dict.fromkeys(names)]
    note(agent.pk, paths)
    if len(paths) <= INDEXED_AT_ONCE:
        return index_now(Agent.objects.get(pk=agent.pk), paths)
    Agent.objects.filter(pk=agent.pk).update(update_requested_at=timezone.now())
    return False


def content_digest(turn: Turn) -> bytes:
    return _digest(turn.role, " ".join(turn.text.split()) or turn.raw)


def _fresh(transcript: Transcript | None, turns: Sequence[Turn]) -> tuple[list[Turn], list[int]]:
    """Those whose id is not on record, each once; and the places of those that say something else under a known id."""
    named = [_with_id(turn) for turn in turns]
    digests = [_id_digest(turn) for turn in named]
    rows = TranscriptMessage.objects.filter(transcript=transcript, digest__in=set(digests))
    known = {bytes(digest): bytes(content) for digest, content in rows.values_list("digest", "content")}
    fresh, clashing = [], []
    for place, (digest, turn) in enumerate(zip(digests, named, strict=True)):
        if not _says_something(turn):
            continue
        content = content_digest(turn)
        if digest not in known:
            known[digest] = content
            fresh.append(turn)
        elif known[digest] != content:
            clashing.append(place)
    return fresh, clashing


def _keep(transcript: Transcript, turns: list[Turn]) -> list[str]:
    """Append, record, make the Markdown. Returns the parts that changed."""
    if not turns:
        return []
    if transcript.size > PART_BYTES:
        next_part(transcript)
    # The Markdown made of them takes about as much again.
    with room_for(transcript.agent, 2 * sum(len(turn.line().encode("utf-8", "replace")) + 1 for turn in turns)):
        size = append_turns(turns_path(transcript, transcript.part), turns)
    _record(transcript, turns, size)
    return [write_markdown(transcript, transcript.part)]


def _record(transcript: Transcript, turns: Sequence[Turn], size: int) -> None:
    rows = [
        TranscriptMessage(
            transcript=transcript, digest=_id_digest(turn), content=content_digest(turn), part=transcript.part
        )
        for turn in turns
    ]
    with transaction.atomic():
        TranscriptMessage.objects.bulk_create(rows, batch_size=200, ignore_conflicts=True)
        transcript.size = size
        transcript.save(update_fields=["size", "last_at"])


def _with_id(turn: Turn) -> Turn:
    if turn.id:
        return turn
    return replace(turn, id="~" + (_digest(turn.at, turn.role, turn.text).hex() if turn.at else secrets.token_hex(16)))


def _renamed(turn: Turn) -> Turn:
    """Without an id that it may share with another: it was looked for by what it says."""
    return turn if turn.id else replace(turn, id="~" + secrets.token_hex(16))


def _identified(text: str) -> Turn:
    """A line of a file: the same file read twice brings nothing new, with ids or without."""
    turn = read_turn(text)
    return turn if turn.id else replace(turn, id="~" + _digest(text).hex())


def _id_digest(turn: Turn) -> bytes:
    return _digest("id", turn.id)


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()[:16]


def _ensure_collection(agent: Agent) -> None:
    folder = str(sessions_dir(agent))
    try:
        make_folder(sessions_dir(agent))
    except OSError as error:
        raise unwritable(sentence("The transcript"), error) from error
    if agent.collections.filter(kind=Collection.Kind.SESSIONS, path=folder).exists():
        return
    taken = set(agent.collections.values_list("name", flat=True))
    names = chain((COLLECTION,), (f"{COLLECTION}-{number}" for number in count(2)))
    name = next(name for name in names if name not in taken)
    create_collection(
        actor=SYSTEM, agent=agent, name=name, path=folder, kind=Collection.Kind.SESSIONS,
        context="What was said in this agent's chats.",
    )  # fmt: skip
