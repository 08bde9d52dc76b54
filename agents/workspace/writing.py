"""append(), create(), replace(): the three ways the appliance writes Markdown; each locked, journalled and kept.

| step | what | after a crash here |
|---|---|---|
| 1 | the row of the write, `pending` | `finish_pending` drops it: nothing has happened |
| 2 | the contents before and after are kept | `finish_pending` writes what is missing |
| 3 | the file itself | `finish_pending` completes the row |
| 4 | the row, `done`; then the index | a retry is answered from the row or recognised as a duplicate |
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agents.access import provenance
from agents.core.actors import Actor
from agents.core.errors import Conflict, Invalid
from agents.indexes.index_now import index_now
from agents.models import Agent, WorkspaceWrite
from agents.workspace import disk, objects
from agents.workspace.block import Block, joined, make_block
from agents.workspace.duplicates import find_duplicate
from agents.workspace.journal import begin, keep_displaced, writing
from agents.workspace.line_ends import last_end, written_back
from agents.workspace.lock import workspace_lock
from agents.workspace.places import own_place
from agents.workspace.reading import digest_of, read_bytes
from agents.workspace.rejected import refuse_rejected
from agents.workspace.tombstones import refuse_forgotten
from agents.workspace.unfinished import finish_pending
from search.documents.lines import count_lines, decode, split_lines
from search.sentences import sentence
from search.spec import Origin


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the text stands; `duplicate` when it stood there before."""

    path: str
    start_line: int
    end_line: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new content's hash, which the next change must name. `changed` is False when it was the same already."""

    path: str
    hash: str
    size: int
    changed: bool


def append(
    *,
    agent: Agent,
    actor: Actor,
    path: str,
    text: str,
    origin: Origin,
    importance: int | None = None,
    triggers: Sequence[str] = (),
    heading: str = "",
    section: str = "",
    idempotency_key: str = "",
    session_key: str = "",
    begun_at: datetime | None = None,
    index: bool = True,
) -> Appended:
    """Put a note at the end of a file of the agent's workspace; the file and its folders are made when missing.

    `heading` opens a file that is empty. `section`, a heading too, is opened before the note where another topic's
    stands last. The same `idempotency_key` is answered as the first time, with the lines where the text is now, and
    written again where it is gone; used for another text it is a `Conflict`. `session_key` is the chat the text came
    from, so that it can be forgotten with it.
    `begun_at`: when the work began that wants to write; what was forgotten since then is not brought back
    (`Conflict`, code `forgotten`). `index=False` leaves it to the caller to call `index_now` after its last write.
    Raises `Invalid` for a text or path that cannot be used, `Conflict`, `WorkspaceUnwritable`.
    """
    path = own_place(agent, path)
    block = make_block(text, path=path, importance=importance, triggers=triggers)
    request = _digest(path, *block.lines)
    with workspace_lock(agent):
        refuse_forgotten(agent, path=path, session_key=session_key, begun_at=begun_at)
        finish_pending(agent, path=path)
        appended = _answered(agent, path, block, idempotency_key, request)
        if appended is None:
            appended = _append(
                agent, actor, path, block, heading, section,
                origin=origin, session_key=session_key, idempotency_key=idempotency_key, request=request,
            )  # fmt: skip
    if index and not appended.duplicate:
        index_now(agent, [path])
    return appended


def create(
    *,
    agent: Agent,
    actor: Actor,
    path: str,
    text: str,
    origin: Origin,
    action: str = "create",
    session_key: str = "",
    begun_at: datetime | None = None,
    index: bool = True,
) -> Replaced:
    """A new file. Raises `Conflict` with the code `file_exists` when there is one, else like `append`."""
    path = own_place(agent, path)
    data = text.encode()
    with workspace_lock(agent):
        refuse_forgotten(agent, path=path, session_key=session_key, begun_at=begun_at)
        finish_pending(agent, path=path)
        if read_bytes(agent, path) is not None:
            raise _exists(path)
        provenance.record(agent=agent, path=path, text=text, origin=origin)
        with begin(agent, actor, path, action, before=None, after=data, session_key=session_key) as row, writing(path):
            try:
                disk.create_file(Path(agent.workspace), path, data)
            except FileExistsError as error:
                raise _exists(path) from error
            row.start_line, row.end_line = 1, count_lines(text)
    if index:
        index_now(agent, [path])
    return Replaced(path, digest_of(data), len(data), True)


def replace(
    *,
    agent: Agent,
    actor: Actor,
    path: str,
    text: str | bytes,
    expected_hash: str,
    origin: Origin | None,
    action: str = "edit",
    session_key: str = "",
    index: bool = True,
) -> Replaced:
    """`text` instead of the content whose SHA-256 is `expected_hash`; "" means that there must be no file yet.

    A text is written back into the file's own line ends; bytes are written as they are. `origin` None: the lines keep
    the origins on record (a restore). Raises `Conflict` with the code `file_changed`
    when the file is another by now, also when that happens while we write; then nothing is changed.
    """
    path = own_place(agent, path)
    with workspace_lock(agent):
        finish_pending(agent, path=path)
        before = read_bytes(agent, path)
        if digest_of(before) != expected_hash:
            raise file_changed(path)
        data = written_back(text, before or b"") if isinstance(text, str) else text
        if before == data:
            return Replaced(path, expected_hash, len(data), False)
        if origin is not None:
            provenance.record(agent=agent, path=path, text=_new_lines(before, data), origin=origin)
        with begin(agent, actor, path, action, before=before, after=data, session_key=session_key), writing(path):
            try:
                if before is None:
                    disk.create_file(Path(agent.workspace), path, data)
                else:
                    disk.exchange_content(Path(agent.workspace), path, data, before, keep_displaced(agent, path))
            except (FileExistsError, FileNotFoundError, disk.ChangedMeanwhile) as error:
                raise file_changed(path) from error
    if index:
        index_now(agent, [path])
    return Replaced(path, digest_of(data), len(data), True)


def file_changed(path: str) -> Conflict:
    return Conflict(
        sentence("{path} is not the file that was read: somebody has changed it.", path=path),
        hint=sentence("Read it again, and send the change with its new hash."),
        field="expected_hash",
        code="file_changed",
    )


def _append(
    agent: Agent, actor: Actor, path: str, block: Block, heading: str, section: str,
    *, origin: Origin, session_key: str, idempotency_key: str, request: str,
) -> Appended:  # fmt: skip
    data = read_bytes(agent, path)
    before, lossy = decode(data or b"")
    if lossy or b"\0" in (data or b""):
        raise _not_utf8(path)
    found = find_duplicate(split_lines(before), block.text)
    if found is not None:
        if idempotency_key:
            WorkspaceWrite.objects.create(
                agent=agent, path=path, action="duplicate", actor=actor.name[:200], state=WorkspaceWrite.State.DONE,
                before=digest_of(data), after=digest_of(data), size=len(data or b""), start_line=found[0],
                end_line=found[1], idempotency_key=idempotency_key, request_digest=request,
            )  # fmt: skip
        return Appended(path, *found, True)
    refuse_rejected(agent, block.text, actor)
    addition, opened = joined(block, before=before, heading=heading, section=section)
    added = addition.replace("\n", last_end(data or b"")).encode("utf-8", "replace")
    provenance.record(agent=agent, path=path, text="\n".join(block.lines), origin=origin)
    first = count_lines(before) + opened + 1
    with begin(
        agent, actor, path, "append", before=data, after=(data or b"") + added, block=added, session_key=session_key,
        idempotency_key=idempotency_key, request_digest=request,
    ) as row, writing(path):  # fmt: skip
        stood_before = disk.append_block(Path(agent.workspace), path, added, data or b"", keep_displaced(agent, path))
        if stood_before != (data or b""):  # a person saved the file in the same moment
            before = decode(stood_before)[0]
            first = count_lines(before) + opened + 1
            row.before = objects.keep(agent.slug, stood_before)
            row.after = objects.keep_appended(agent.slug, stood_before, added)
            row.start, row.size = len(stood_before), len(stood_before) + len(added)
        row.start_line, row.end_line = first, first + len(block.lines) - 1
    return Appended(path, first, row.end_line, False)


def _answered(agent: Agent, path: str, block: Block, idempotency_key: str, request: str) -> Appended | None:
    """What this key was answered with, at the lines where the text is now.

    A text that is gone is written again, so the key is free for it: an answer never names lines that hold another text.
    """
    if not idempotency_key:
        return None
    row = WorkspaceWrite.objects.filter(agent=agent, idempotency_key=idempotency_key).first()
    if row is None:
        return None
    if row.request_digest != request:
        raise Conflict(
            sentence("This idempotency key was used for another note."),
            hint=sentence("Use a new key for a new note."),
            field="idempotency_key",
        )
    lines = split_lines(decode(read_bytes(agent, path) or b"")[0])
    if row.start_line and tuple(lines[row.start_line - 1 : row.end_line]) == tuple(block.lines):
        return Appended(path, row.start_line, row.end_line, True)
    found = find_duplicate(lines, block.text)
    if found is not None:
        return Appended(path, *found, True)
    WorkspaceWrite.objects.filter(pk=row.pk).update(idempotency_key="")
    return None


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _new_lines(before: bytes | None, after: bytes) -> str:
    """The lines that the change brings in: who saves a file does not vouch for what stood in it."""
    known = set(split_lines(decode(before or b"")[0]))
    return "\n".join(line for line in split_lines(decode(after)[0]) if line not in known)


def _not_utf8(path: str) -> Invalid:
    return Invalid(
        sentence("{path} is not UTF-8 text: a note would make it unreadable.", path=path),
        hint=sentence("Save it as UTF-8, or write to another file."),
        field="path",
        code="not_utf8",
    )


def _exists(path: str) -> Conflict:
    return Conflict(
        sentence("There is a file {path} already.", path=path),
        hint=sentence("Choose another name."),
        field="path",
        code="file_exists",
    )
