"""erase_transcript(), prune_transcripts(): transcripts go when they are to be forgotten, or grow older than wanted."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from agents.access.sessions import canonical
from agents.core.agent_settings import read_settings
from agents.core.apart import apart
from agents.core.quota import count_again
from agents.indexes.index_now import forget_now
from agents.models import Agent, Collection, Flush, Transcript, TranscriptMessage
from agents.transcripts.files import markdown_name, sessions_dir, transcript_lock, turns_path
from agents.transcripts.store import find_transcript


def erase_transcript(agent: Agent, session_key: str, dry_run: bool) -> int:
    """Remove a chat's turns, their Markdown, index rows and cached vectors. Returns how many messages that is."""
    transcript = find_transcript(agent, canonical(session_key))
    if transcript is None:
        return 0
    key = transcript.session_key
    messages = transcript.messages.count()
    if dry_run:
        return messages
    with transcript_lock(agent, key):
        transcript.refresh_from_db()
        transcript.agent = agent
        names = [markdown_name(transcript, part) for part in range(transcript.first_part, transcript.part + 1)]
        for folder in (turns_path(transcript, 1).parent, sessions_dir(agent) / transcript.folder):
            if folder.exists():
                shutil.rmtree(folder)
        _out_of_index(agent, names)
        # Last: whatever starts after a death in between finds by this record what is still to go.
        Flush.objects.filter(agent=agent, session_key=key).delete()
        transcript.delete()
    return messages


def prune_transcripts() -> int:
    """Remove the parts that are older than their agents want to keep them. Returns how many parts went."""
    gone = 0
    for agent in Agent.objects.all():
        days = read_settings(agent).transcript_retention_days
        if days is None:
            continue
        oldest = timezone.now().timestamp() - timedelta(days=days).total_seconds()
        with apart(agent.slug, "forgetting old transcripts"):
            for transcript in agent.transcripts.all():
                gone += _prune(agent, transcript, oldest)
    return gone


def _prune(agent: Agent, transcript: Transcript, oldest: float) -> int:
    """Whole parts, oldest first; the last one goes with the transcript itself."""
    with transcript_lock(agent, transcript.session_key):
        transcript.refresh_from_db()
        transcript.agent = agent
        names = []
        while transcript.first_part <= transcript.part:
            path = turns_path(transcript, transcript.first_part)
            if path.exists() and path.stat().st_mtime >= oldest:
                break
            path.unlink(missing_ok=True)
            name = markdown_name(transcript, transcript.first_part)
            (sessions_dir(agent) / name).unlink(missing_ok=True)
            TranscriptMessage.objects.filter(transcript=transcript, part=transcript.first_part).delete()
            names.append(name)
            transcript.first_part += 1
        if transcript.first_part > transcript.part:
            _remove_empty(turns_path(transcript, 1).parent, sessions_dir(agent) / transcript.folder)
            transcript.delete()
        elif names:
            Transcript.objects.filter(pk=transcript.pk).update(first_part=transcript.first_part)
    count_again(agent)
    _out_of_index(agent, names)
    return len(names)


def _out_of_index(agent: Agent, names: list[str]) -> None:
    collection = agent.collections.filter(kind=Collection.Kind.SESSIONS, path=str(sessions_dir(agent))).first()
    if collection is not None and names:
        forget_now(agent, [f"{collection.name}/{name}" for name in names])


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()
