"""Who stands behind what was written through a door: recorded by line, outside the text, and looked up by the index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from django.db import transaction

from agents.access.sessions import Session, derive, narrow
from agents.core.actors import Caller
from agents.models import Agent, WrittenLine
from search.documents.origin import least_trusted, line_digests, named_origin
from search.spec import Origin, OriginLookup

BATCH = 500
"""Digests per query: SQLite takes a bounded number of parameters."""


def record(*, agent: Agent, path: str, text: str, origin: Origin) -> None:
    """Remember who wrote these lines. Call it before the file changes, with the text as it will stand there.

    The owner may vouch for a line that is there already; everybody else can only make it less trusted, so that a
    line of unknown origin is not washed clean by writing it down again.
    """
    digests = line_digests(text)
    with transaction.atomic():
        known = origins_of(agent, digests)
        rows = [
            WrittenLine(agent=agent, digest=digest, path=path[:1024], origin=_settled(known.get(digest), origin))
            for digest in sorted(digests)
            if known.get(digest) != origin
        ]
        WrittenLine.objects.bulk_create(
            rows, batch_size=BATCH, update_conflicts=True, unique_fields=["agent", "digest"], update_fields=["origin"]
        )


def origin_of_write(caller: Caller, session: Session | None, *, tainted: bool = False) -> Origin:
    """Of a text that `caller` writes for the chat `session`.

    Without a session a trusted caller is the owner. What comes out of a group or a channel, from a chat of unknown
    kind, or out of a turn that saw untrusted content, is nobody's word.
    """
    if tainted:
        return "untrusted"
    if session is None or session.anonymous:
        return "owner" if caller.trusted else "agent"
    chat = narrow(derive(session.key), session)
    return "untrusted" if chat.chat_type in ("group", "channel", "unknown") else "agent"


def lookup(agent_id: int) -> OriginLookup:
    """The records of one agent as the engine asks for them: nothing is read before a file is cut."""
    return lambda digests: _origins(agent_id, digests)


def origins_of(agent: Agent, digests: Collection[bytes]) -> dict[bytes, Origin]:
    return _origins(agent.pk, digests)


def forget_lines(*, agent: Agent, text: str) -> int:
    """Drop the records of these lines, when the text itself is forgotten. Returns how many there were."""
    return sum(
        WrittenLine.objects.filter(agent=agent, digest__in=batch).delete()[0] for batch in _batches(line_digests(text))
    )


def _origins(agent_id: int, digests: Collection[bytes]) -> dict[bytes, Origin]:
    found: dict[bytes, Origin] = {}
    for batch in _batches(digests):
        rows = WrittenLine.objects.filter(agent=agent_id, digest__in=batch)
        found |= {bytes(digest): named_origin(origin) for digest, origin in rows.values_list("digest", "origin")}
    return found


def _settled(before: Origin | None, now: Origin) -> Origin:
    return now if before is None or now == "owner" else least_trusted((before, now))


def _batches(digests: Iterable[bytes]) -> Iterator[list[bytes]]:
    left = iter(digests)
    while batch := list(islice(left, BATCH)):
        yield batch
