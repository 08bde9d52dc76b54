"""The files of a transcript: parts that only grow, and the Markdown that is made from each.

```
transcripts/<agent>/turns/<chat>/00001.jsonl      the turns, one JSON line each: the truth
transcripts/<agent>/sessions/<chat>/00001.md      made from it, the `sessions` collection: may be made again at any time
```
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from agents.core.paths import data_dir, make_folder
from agents.core.whole_file import write_whole
from agents.locking.locks import fence
from agents.models import Agent, Transcript
from agents.workspace.journal import unwritable
from agents.workspace.lock import held
from search.documents.transcripts import Rendered, Turn, read_turn, render
from search.sentences import sentence

PART_BYTES = 128 * 1024
"""A part beyond this is followed by the next one, so that a turn never costs the reading of a long chat."""


def transcripts_dir(agent: Agent) -> Path:
    # Resolved as the row of its collection is: else a data folder behind a symlink gets one more with every chat.
    return data_dir().resolve() / "transcripts" / agent.slug


def sessions_dir(agent: Agent) -> Path:
    """The root of the `sessions` collection."""
    return transcripts_dir(agent) / "sessions"


def folder_name(session_key: str) -> str:
    """A name that says which chat it is to a reader, and is that chat's alone."""
    digest = hashlib.sha256(session_key.encode("utf-8", "replace")).hexdigest()[:16]
    words = re.sub(r"[^a-z0-9]+", "-", session_key.lower().removeprefix("agent:")).strip("-")[:60].strip("-")
    return f"{words}-{digest}" if words else digest


def turns_path(transcript: Transcript, part: int) -> Path:
    return transcripts_dir(transcript.agent) / "turns" / transcript.folder / f"{part:05d}.jsonl"


def markdown_name(transcript: Transcript, part: int) -> str:
    """Relative to the collection."""
    return f"{transcript.folder}/{part:05d}.md"


def transcript_lock(agent: Agent, session_key: str, purpose: str = "turns") -> AbstractContextManager[None]:
    """One writer of a chat's transcript at a time, across processes. Raises `Conflict` with `workspace_busy`."""
    path = transcripts_dir(agent) / "locks" / f"{folder_name(session_key)}.{purpose}"
    return held(path, agent=agent, what=sentence("This chat's transcript"))


def append_turns(path: Path, turns: Iterable[Turn]) -> int:
    """Put the turns at the end of a part and onto the disk; returns the part's size. All of them or none.

    Raises `WorkspaceUnwritable`.
    """
    data = "".join(turn.line() + "\n" for turn in turns).encode("utf-8", "replace")
    fence()
    try:
        make_folder(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(sentence("The transcript"), error) from error
    try:
        before = os.fstat(handle).st_size
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, before)
            raise unwritable(sentence("The transcript"), error) from error
        return before + len(data)
    finally:
        os.close(handle)


def read_part(transcript: Transcript, part: int, start: int = 0) -> list[Turn]:
    """The turns of a part from byte `start` on; a missing part has none."""
    try:
        with turns_path(transcript, part).open("rb") as file:
            file.seek(start)
            return [read_turn(line.decode("utf-8", "replace").rstrip("\n")) for line in file]
    except FileNotFoundError:
        return []


def drop_torn_line(path: Path, size: int) -> int:
    """Cut off what a process that died left of its last line beyond `size`; returns the size afterwards."""
    try:
        handle = path.open("rb+")
    except FileNotFoundError:
        return 0
    with handle as file:
        end = file.seek(0, os.SEEK_END)
        if end > size:
            file.seek(size)
            end = size + file.read().rfind(b"\n") + 1
            file.truncate(end)
        return end


def rendered_part(transcript: Transcript, part: int) -> Rendered:
    return render(
        read_part(transcript, part),
        session=transcript.session_key,
        closed=part < transcript.open_from,
        title=f"Conversation {transcript.session_key}, part {part}",
    )


def is_behind(transcript: Transcript, part: int) -> bool:
    """Whether a part's Markdown is missing or older than its turns: a process died between the two."""
    try:
        written = turns_path(transcript, part).stat().st_mtime_ns
    except FileNotFoundError:
        return False
    try:
        return (sessions_dir(transcript.agent) / markdown_name(transcript, part)).stat().st_mtime_ns < written
    except FileNotFoundError:
        return True


def write_markdown(transcript: Transcript, part: int) -> str:
    """Make the Markdown of a part anew; returns its name as users see it below the collection."""
    name = markdown_name(transcript, part)
    data = rendered_part(transcript, part).text.encode("utf-8", "replace")
    try:
        write_whole(sessions_dir(transcript.agent) / name, data, room=data_dir() / "transcripts", lasting=False)
    except OSError as error:
        raise unwritable(sentence("The transcript's Markdown"), error) from error
    return name
