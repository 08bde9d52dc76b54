"""catch_up(): this server's index of an agent holds what any server has written, before it answers.

An index is a cache of the files, and remembers up to which generation of the agent it has followed
(agents/servers/generations.py). One that is behind reads the files that were named since, and takes their vectors
from the table that all servers share. One that is missing, damaged, of an earlier agent of the name or too far behind
is rebuilt. What an update finds on the disk is told to the other servers here too.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from threading import Event

from agents.core.apart import apart
from agents.core.paths import index_path, local_dir
from agents.indexes.specs import embedding_spec
from agents.locking.waiting import soon
from agents.models import Agent, Change, Embedding
from agents.servers.generations import generation, note, several
from search.errors import Cancelled, SearchError
from search.file_types import is_converted
from search.index.borrow import ROWS, cached_digests, known_digests, packed_texts
from search.index.documents import convert_documents
from search.index.embed import is_waiting, take_vectors
from search.index.follow import Followed, followed, note_followed
from search.index.locks import lock_path
from search.index.pool import reading
from search.index.rebuild import remove_index
from search.index.report import IsCancelled, ReportProgress, UpdateReport
from search.index.update import update_index
from search.index.update_files import forget_files, update_files
from search.sentences import sentence
from search.spec import EmbeddingIdentity, IndexSpec

logger = logging.getLogger(__name__)

FOLLOW_SECONDS = 60.0
CONVERT_AHEAD = 30.0
"""More than any request has for following: of a worker's round this much is left for the index."""
_TOUCHED_SECONDS = 3600.0

What = Change.What
Identity = Callable[[], EmbeddingIdentity | None]
"""Of the vectors that would be made now; asked only where an index is behind."""


def catch_up(agent: Agent, identity: Identity, *, seconds: float) -> bool:
    """Whether the index holds all that `agent.generation` counts, after `seconds` at most."""
    if not several():
        return True
    path = index_path(agent.slug)
    seen = followed(path)
    _touch(agent.slug)
    if seen == Followed(agent.pk, agent.generation):
        return True
    if seen is not None and seen.agent == agent.pk and seen.number > agent.generation:
        agent.generation = generation(agent.pk)  # a write happened, and the index followed, since the row was read
    end = time.monotonic() + seconds
    try:
        soon(agent.slug, seconds, lambda: _follow(agent, identity, end))
    except (SearchError, Cancelled) as error:
        logger.info("the index of %s is behind: %s", agent.slug, error)
        return False
    return True


def look_at_all(
    agent: Agent,
    spec: IndexSpec,
    identity: EmbeddingIdentity | None,
    *,
    progress: ReportProgress,
    cancelled: IsCancelled,
    lock_timeout: float = 0.0,
) -> UpdateReport:
    """`update_index`, of which the other servers are told what it found. Raises likewise."""
    before, number = followed(spec.path) if several() else None, generation(agent.pk)
    report = update_index(spec, identity=identity, progress=progress, cancelled=cancelled, lock_timeout=lock_timeout)
    if several():
        if report.pending:
            report = replace(report, pending=take_vectors(spec, identity, lock_timeout=lock_timeout))
        note_followed(spec.path, Followed(agent.pk, number), lock_timeout=lock_timeout)
        if before is None or report.recut:  # a change that another index lacks may be among what is new here
            tell(agent, what=What.WHOLE)
        elif report.paths:
            tell(agent, report.paths)
    return report


def tell(agent: Agent, paths: Iterable[str] = (), *, what: str = What.FILE) -> None:
    """`note` what this server's own index holds already."""
    number = note(agent.pk, paths, what=what)
    if number and followed(index_path(agent.slug)) == Followed(agent.pk, number - 1):
        note_followed(index_path(agent.slug), Followed(agent.pk, number))


def follow_all(identity: Callable[[Agent], EmbeddingIdentity | None], stopping: Event) -> None:
    """The indexes on this server's disk follow, also of agents without requests: what is forgotten leaves each."""
    slugs = [path.stem for path in (local_dir() / "indexes").glob("*.sqlite")] if several() else []
    for agent in Agent.objects.filter(slug__in=slugs):
        if stopping.is_set():
            return
        path = index_path(agent.slug)
        with apart(agent.slug, "following what other servers wrote"):
            if followed(path) != Followed(agent.pk, agent.generation):
                catch_up(agent, lambda agent=agent: identity(agent), seconds=FOLLOW_SECONDS)  # type: ignore[misc]
            elif is_waiting(path):
                take_vectors(embedding_spec(agent), identity(agent))


def drop_unused_indexes(*, days: int, gigabytes: float) -> int:
    """Remove indexes not used for `days`, then the longest unused until the rest fits. Returns how many."""
    found = []
    for path in (local_dir() / "indexes").glob("*.sqlite") if several() else ():
        with suppress(FileNotFoundError):
            found.append((lock_path(path).stat().st_mtime, path.stat().st_size, path))
    left, oldest, dropped = sum(size for _, size, _ in found), time.time() - days * 86400, 0
    for asked, size, path in sorted(found):
        if asked >= oldest and left <= gigabytes * 1e9:
            break
        with suppress(SearchError):
            remove_index(path)
            left, dropped = left - size, dropped + 1
    return dropped


def drop_stale_vectors(agent: Agent) -> int:
    """Remove common vectors of texts that the agent's index holds no more. Returns how many.

    Only by an index on this server that holds all that was written: what was listed before that was looked up is of no
    text that it has not read yet.
    """
    path = index_path(agent.slug)
    if not several() or followed(path) is None:
        return 0
    listed = dict(Embedding.objects.filter(agent=agent).values_list("pk", "hash").iterator())
    if followed(path) != Followed(agent.pk, generation(agent.pk)):
        return 0
    held = known_digests(path)
    stale = [pk for pk, digest in listed.items() if bytes(digest) not in held]
    for start in range(0, len(stale), ROWS):
        Embedding.objects.filter(pk__in=stale[start : start + ROWS]).delete()
    return len(stale)


def publish_vectors(agent: Agent, spec: IndexSpec, identity: EmbeddingIdentity | None) -> int:
    """Put the vectors of this server's index into a common table that has none of them. Returns how many texts.

    So it is after `control move` and after a restore: neither takes these rows along. Raises `IndexUnavailable`.
    """
    if spec.common is None or identity is None:
        return 0
    if Embedding.objects.filter(agent=agent, fingerprint=identity.fingerprint).exists():
        return 0
    published = 0
    with reading(spec.path) as connection:
        digests = cached_digests(connection, identity.fingerprint)
        for start in range(0, len(digests), ROWS):
            rows = packed_texts(connection, identity.fingerprint, digests[start : start + ROWS])
            spec.common.keep(identity.fingerprint, rows)
            published += len(rows)
    if published:
        tell(agent, what=What.VECTORS)
    return published


def _follow(agent: Agent, identity: Identity, end: float) -> None:
    """Raises `SearchError`, and `Cancelled` when the time is over; what was done by then stays.

    No lock is waited for here: `soon` tries again.
    """
    spec, seen = embedding_spec(agent), followed(index_path(agent.slug))
    changes: list[Change] = []
    if seen is not None:
        changes = list(Change.objects.filter(agent=agent, number__gt=seen.number, number__lte=agent.generation))
        if seen.agent != agent.pk or len({change.number for change in changes}) != agent.generation - seen.number:
            remove_index(spec.path)  # of an earlier agent, from long ago, or before a restore: of what it is unknown
            seen = None
    named = {what: [one.path for one in changes if one.what == what] for what in What}
    if seen is None or named[What.WHOLE] or named[What.REBUILT]:
        _look_again(agent, spec, identity(), end, rebuilt=bool(named[What.REBUILT]))
    elif named[What.FILE]:
        if any(map(is_converted, named[What.FILE])):
            _convert(spec, end)
        update_files(spec, named[What.FILE])
    if named[What.FORGOTTEN]:
        forget_files(spec, [path for path in named[What.FORGOTTEN] if path], all_unused=True)
    if seen is not None:
        take_vectors(spec, identity() if is_waiting(spec.path) else None, lock_timeout=0.0)
        now = followed(spec.path)
        note_followed(spec.path, max(Followed(agent.pk, agent.generation), now) if now else seen, lock_timeout=0.0)


def _convert(spec: IndexSpec, end: float) -> None:
    """Texts of documents that another server told of. Never in a request: a worker's round does it within a minute."""
    seconds = end - time.monotonic() - CONVERT_AHEAD
    if seconds < 0 or convert_documents(spec, progress=lambda _: None, cancelled=lambda: False, seconds=seconds):
        raise Cancelled(sentence("documents wait to be converted on this server"))


def _look_again(
    agent: Agent, spec: IndexSpec, identity: EmbeddingIdentity | None, end: float, *, rebuilt: bool
) -> None:
    def over() -> bool:
        return time.monotonic() > end

    report = look_at_all(agent, spec, identity, progress=lambda _: None, cancelled=over)
    if report.stale and rebuilt:  # its vectors are of no use any more, and all servers share the new ones
        remove_index(spec.path)
        look_at_all(agent, spec, identity, progress=lambda _: None, cancelled=over)


def _touch(slug: str) -> None:
    """When the index was last asked, to the hour: its lock's time."""
    path = lock_path(index_path(slug))
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _TOUCHED_SECONDS:
            os.utime(path)
