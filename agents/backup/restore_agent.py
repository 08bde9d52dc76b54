"""restore_agent(): one agent as it was, on a server that may go on serving all others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from agents.backup.journal import journal, journal_of, undo_unfinished
from agents.backup.opened import STAGED
from agents.backup.places import adapt_places
from agents.backup.restore import Restored
from agents.backup.rows import copy_agent, rows_as_fixture
from agents.backup.staging import Staged, staged
from agents.backup.swap import Swap
from agents.backup.values import Backup, BackupError, ReportProgress
from agents.core.actors import Actor
from agents.core.agent_settings import default_settings
from agents.core.audit import record
from agents.core.paths import data_dir, default_workspace, index_path
from agents.core.whose import whose_workspace
from agents.models import Agent, Collection
from agents.workspace.lock import workspace_lock
from search.sentences import sentence

KEEPS = ("transcripts", "history")
FOLDERS = ("workspaces", "collections", *KEEPS)


def restore_agent(
    backup: Backup, slug: str, *, actor: Actor, force: bool, progress: ReportProgress = lambda _: None
) -> Restored:
    """Its rows in one transaction, its folders by renames inside it: all of it or nothing. Raises `BackupError`.

    With `force`, what the agent is now is kept: its folders, and its rows as a file for `manage.py loaddata`. Its index
    follows the files by itself. Keys are not brought back: one may have been revoked since then.
    """
    if slug not in backup.agents:
        raise BackupError(
            sentence("Backup {name} has no agent {slug}.", name=backup.name, slug=slug),
            hint=sentence("It has {agents}.", agents=", ".join(backup.agents) or "none"),
        )
    undo_unfinished()
    now = Agent.objects.filter(slug=slug).first()
    wanted = (*(f"{name}/{slug}/" for name in FOLDERS), f"indexes/{slug}.sqlite")
    with staged(backup, wanted=wanted, progress=progress) as found:
        remarks = (*adapt_places(STAGED, backup.data_dir, slug), *_apart_from_others(slug))
        moves = _moves(found, slug)
        there = [str(path) for path in moves.values() if path.exists() and (path.is_file() or any(path.iterdir()))]
        if (now is not None or there) and not force:
            raise BackupError(
                sentence("Agent {slug} is there already.", slug=slug)
                if now
                else sentence("{there} is there already.", there=there[0]),
                hint=sentence("Add --force to replace it; what is there now is kept under a name that is printed."),
                code="not_empty",
            )
        swap = Swap()
        before = now.pk if now else None
        with _at_rest(now), journal(journal_of(slug), swap, slug=slug, before=before), swap, transaction.atomic():
            if now is not None:
                swap.write("rows.json", rows_as_fixture(now))
                now.delete()
            _new_rows(slug)
            for source, target in moves.items():
                swap.set_aside(target, str(source.relative_to(found.folder)))
                swap.put(source, target)
            record(
                actor=actor,
                action="agent.restore",
                target=slug,
                agent_slug=slug,
                detail={"backup": backup.name, "kept": str(swap.kept) if swap.kept_anything else ""},
            )
    return Restored(backup.name, (slug,), swap.kept if swap.kept_anything else None, remarks)


def _apart_from_others(slug: str) -> tuple[str, ...]:
    """A folder that another agent has taken since then is not given to two."""
    agent = Agent.objects.using(STAGED).get(slug=slug)
    then, usual = Path(agent.workspace), default_workspace(slug)
    others = Agent.objects.exclude(slug=slug)
    other = whose_workspace(then, others)
    if not other:
        return ()
    if whose_workspace(usual, others):
        raise BackupError(
            sentence(
                "The workspace of {slug} was {then}, which belongs to agent {other} now.",
                slug=slug,
                then=then,
                other=other,
            ),
            hint=sentence("Give {other} another workspace first.", other=other),
        )
    Agent.objects.using(STAGED).filter(slug=slug).update(workspace=str(usual))
    agent.collections.filter(kind=Collection.Kind.MEMORY).update(path=str(usual))
    return (
        sentence(
            "{then} belongs to agent {other} now, so the workspace of {slug} is {usual}.",
            then=then,
            other=other,
            slug=slug,
            usual=usual,
        ),
    )


@contextmanager
def _at_rest(agent: Agent | None) -> Iterator[None]:
    """No note is being written while its folder moves."""
    if agent is None:
        yield
        return
    with workspace_lock(agent):
        yield


def _new_rows(slug: str) -> None:
    agent = copy_agent(slug, STAGED)
    Agent.objects.filter(pk=agent.pk).update(
        defaults=default_settings(), update_requested_at=timezone.now(), next_update_at=None
    )


def _moves(found: Staged, slug: str) -> dict[Path, Path]:
    agent = Agent.objects.using(STAGED).get(slug=slug)
    own = data_dir()
    moves = {found.folder / "workspaces" / slug: Path(agent.workspace)}
    moves |= {found.folder / name / slug: own / name / slug for name in KEEPS}
    for row in agent.collections.filter(kind=Collection.Kind.CUSTOM):
        source = found.folder / "collections" / slug / row.name
        # A folder that others may read too is theirs as well: it comes back only where it has gone.
        if source.is_dir() and not Path(row.path).exists():
            moves[source] = Path(row.path)
    index = found.folder / "indexes" / f"{slug}.sqlite"
    if index.exists() and not index_path(slug).exists():
        moves[index] = index_path(slug)
    return moves
