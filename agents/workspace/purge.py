"""purge(): the kept versions that hold a forgotten text go, with their rows in the journal and idempotency keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet

from agents.models import Agent, WorkspaceWrite
from agents.workspace import objects
from agents.workspace.reading import digest_of

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")

WITH_BLOCK = ("append", "block")
"""Writes whose copy ends with the text they added; of a `block` nothing else is kept."""


def purge(agent: Agent, first_writes: Mapping[str, int], *, session_key: str, dry_run: bool) -> int:
    """Drop the versions that may hold the text: those of each path from its first such write on. Returns how many.

    What an earlier row names stays. So does what later writes added for other chats, without the rest of the file: it
    must be found again when that chat is forgotten. The workspace's lock is held.
    """
    rows: list[WorkspaceWrite] = []
    for path, first in first_writes.items():
        rows += WorkspaceWrite.objects.filter(agent=agent, path=path, pk__gte=first).order_by("pk")
    held = {digest for row in rows for digest in (row.before, row.after)} - {""}
    others = WorkspaceWrite.objects.filter(agent=agent).exclude(pk__in=[row.pk for row in rows])
    kept = held & _digests(others)
    if not dry_run:
        own = set(_of_chat(agent, session_key)) if session_key else set()
        blocks = {
            row.pk: block for row in rows
            if session_key and row.action in WITH_BLOCK and row.pk not in own
            and (block := block_of(agent, row)) is not None
        }  # fmt: skip
        _rewrite(agent, rows, {pk: objects.keep(agent.slug, block) for pk, block in blocks.items()})
        kept |= {digest_of(block) for block in blocks.values()}
        objects.drop(agent.slug, held - kept, kept)
    return len(held - kept)


def drop_unnamed(agent: Agent) -> None:
    """The copies that no row names: a purge that was cut short may have left them. The workspace's lock is held."""
    named = _digests(WorkspaceWrite.objects.filter(agent=agent)) | {digest_of(b"")}
    gone = objects.names(agent.slug) - named
    if gone:
        objects.drop(agent.slug, gone, named)


def block_of(agent: Agent, row: WorkspaceWrite) -> bytes | None:
    """The note's own lines, without the heading or the empty line that was put before them; None: copy damaged."""
    try:
        added = _LINES.findall(objects.load(agent.slug, row.after)[row.start :].strip(b"\r\n"))
    except objects.Damaged:
        return None
    return b"".join([line for line in added if line][-(row.end_line - row.start_line + 1) :])


@transaction.atomic
def _rewrite(agent: Agent, rows: list[WorkspaceWrite], blocks: Mapping[int, str]) -> None:
    """The rows of `blocks` name that copy alone from now on, all others go."""
    for row in rows:
        if row.pk in blocks:
            row.after, row.action, row.before, row.start = blocks[row.pk], "block", "", 0
            row.save(update_fields=["after", "action", "before", "start"])
        else:
            row.delete()


def _of_chat(agent: Agent, session_key: str) -> list[int]:
    found = WorkspaceWrite.objects.filter(WorkspaceWrite.of_chat(session_key), agent=agent)
    return list(found.values_list("pk", flat=True))


def _digests(rows: QuerySet[WorkspaceWrite]) -> set[str]:
    return {digest for pair in rows.values_list("before", "after") for digest in pair} - {""}
