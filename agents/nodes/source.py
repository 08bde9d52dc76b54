"""The part of the node that an agent leaves: freeze it, show what it has, and put the old copy aside in the end."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from agents.errors import Conflict
from agents.models import Agent, AgentMove
from agents.nodes import moves
from agents.nodes.inventory import Entry, entries, left_out
from agents.nodes.ownership import own_name
from agents.nodes.places import FOLDERS, INDEX, INDEX_FILE, places, source_roots
from agents.paths import data_dir, index_path
from agents.transcripts.files import drain_transcripts
from agents.workspace.lock import drain_workspace
from search.errors import SearchError
from search.index.copy import copy_index
from search.index.rebuild import remove_index

logger = logging.getLogger(__name__)

Step = AgentMove.Step
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Frozen:
    """What the target has to know of the source."""

    workspace: str
    transcripts: str
    left_out: tuple[str, ...]


def move_out(move_id: int, target: str) -> AgentMove:
    """The move of an agent of this node to the node that asks. Raises `Conflict`: then it was given up meanwhile."""
    move = AgentMove.objects.select_related("agent").filter(
        pk=move_id, source=own_name(), target=target, step__in=AgentMove.BEFORE_SWITCH
    )
    found = move.first()
    if found is None:
        raise Conflict(f"There is no move {move_id} from {own_name()} to {target} under way.", hint="It was given up.")
    return found


def freeze(move: AgentMove) -> Frozen:
    """From now on the agent only reads; whoever was writing has finished. May be repeated.

    Raises `Conflict` when a writer holds on for too long.
    """
    with transaction.atomic():
        row = AgentMove.objects.select_for_update().get(pk=move.pk)
        if row.step not in AgentMove.BEFORE_SWITCH:
            raise Conflict("The move was given up.", hint="Nothing has changed.")
        Agent.objects.filter(pk=move.agent_id, frozen_at=None).update(frozen_at=timezone.now())
    drain_workspace(move.agent)
    drain_transcripts(move.agent)
    _copy_index(move)
    roots = source_roots(move.agent, move.pk)
    return Frozen(str(roots["workspace"]), str(roots["transcripts"]), tuple(left_out(roots)[:SHOWN]))


def inventory(move: AgentMove) -> Iterator[Entry]:
    return entries(source_roots(move.agent, move.pk))


def put_aside(move: AgentMove) -> None:
    """The agent lives elsewhere: its old copy makes room, but stays on the disk until the owner removes it.

    A workspace outside the data folder is the owner's own place and is left as it is. Files that somebody saved here
    after the last comparison are named: they are in the old copy alone.
    """
    here = places(move.agent.slug, move.pk)
    workspace = Path(str(move.detail["workspace"]))
    late = _saved_since(workspace if workspace.exists() else here["workspace"].aside, float(move.detail["verified_at"]))
    kept: list[str] = []
    for root in FOLDERS:
        final = workspace if root == "workspace" else here[root].final
        aside = here[root].aside
        if root == "workspace" and not final.is_relative_to(data_dir().resolve()):
            kept.append(str(final))
            continue
        if final.exists():
            aside.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            final.rename(aside)
        if aside.exists():
            kept.append(str(aside))
    with suppress(SearchError):  # somebody still writes it: the nightly tidying or the next move removes it
        remove_index(index_path(move.agent.slug))
    shutil.rmtree(here[INDEX].incoming, ignore_errors=True)
    if late:
        logger.warning("saved in the old copy of %s after it was compared: %s", move.agent.slug, ", ".join(late))
    moves.finish(move, aside=kept, saved_late=late)


def forget_index_copies() -> int:
    """Copies that were made for moves which are no longer under way; called at night. Returns how many went."""
    folder = index_path("_").parent / ".moving"
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    active = AgentMove.objects.filter(step__in=AgentMove.ACTIVE).values_list("agent__slug", "pk")
    wanted = {f"{slug}-{number}" for slug, number in active}
    gone = [name for name in names if name not in wanted]
    for name in gone:
        shutil.rmtree(folder / name, ignore_errors=True)
    return len(gone)


def _copy_index(move: AgentMove) -> None:
    """The index as it is at this moment; without one the target makes its own."""
    incoming = places(move.agent.slug, move.pk)[INDEX].incoming
    copy = incoming / INDEX_FILE
    if copy.exists():
        return
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True, mode=0o700)
    beside = incoming / f".{INDEX_FILE}"
    try:
        copy_index(index_path(move.agent.slug), beside)
    except SearchError as error:
        logger.warning("the index of %s does not go along: %s", move.agent.slug, error.message)
        shutil.rmtree(incoming, ignore_errors=True)
        return
    beside.rename(copy)


def _saved_since(folder: Path, moment: float) -> list[str]:
    """By the time of the change that no tool can set."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            with suppress(FileNotFoundError):
                if path.lstat().st_ctime > moment:
                    found.append(path.relative_to(folder).as_posix())
    return sorted(found)[:SHOWN]
