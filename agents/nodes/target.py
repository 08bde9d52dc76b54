"""carry_on(): bring an agent to this node, step by step; after a crash the next call goes on where it stopped.

| step | what | after a crash here |
|---|---|---|
| freeze | the source lets no more writes in and waits for those under way | again; freezing twice is freezing once |
| copy | every file that is not here, beside its final place | what is whole and dated alike is not copied again |
| verify | the source's list is made again and every file here hashed; a difference leads back to copy | again |
| switch | under the row's lock: renamed to its place, then owner, folders and jobs in a transaction | the same again |
| thaw | the agent is written again, here | again |
| aside | the source's own part: its old copy makes room | again |

Until the switch is committed the agent is the source's and can be given up; from then on it is the target's.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from agents.errors import RuleError
from agents.models import Agent, AgentMove, Collection, Run
from agents.nodes import moves
from agents.nodes.client import SourceAway, SourceNode, SourceRefuses
from agents.nodes.inventory import Entry
from agents.nodes.places import places
from agents.nodes.staging import PlaceTaken, Staging
from agents.paths import checked_folder
from search.documents.contain import PathNotAllowed
from search.errors import SearchError

Step = AgentMove.Step

BATCH_FILES = 200
ROUNDS = 5
"""Copying again because somebody saved meanwhile, before it is left for later."""


class Wait(Exception):
    """The step cannot be done now; the message says why, and it is tried again."""


def carry_on(move: AgentMove, held: Callable[[], bool]) -> None:
    """Do what can be done now. `held` says whether the move is still this worker's. Problems are noted in the row."""
    staging = Staging(places(move.agent.slug, move.pk))
    try:
        with closing(SourceNode(move)) as source:
            while held() and move.step in _STEPS:
                _STEPS[move.step](move, source, staging)
    except (Wait, SourceAway) as problem:
        moves.note_problem(move, str(problem))
    except SourceRefuses as refusal:
        if not refusal.again:
            moves.give_up(move, str(refusal))
        moves.note_problem(move, str(refusal))
    except (PlaceTaken, PathNotAllowed, RuleError) as refusal:
        moves.give_up(move, str(refusal))
    except SearchError as problem:
        moves.note_problem(move, problem.advice())
    except OSError as error:
        _disk_problem(move, error)


def clean_up(move: AgentMove) -> None:
    """After a move that was given up: nothing of it stays in the agent's places. A complete copy is kept aside."""
    staging = Staging(places(move.agent.slug, move.pk))
    if "taking" in move.detail and move.agent.node_id != move.target_id:
        staging.hand_back()
    kept = staging.clear(keep="verified_at" in move.detail)
    AgentMove.objects.filter(pk=move.pk).update(detail={**move.detail, "cleared": True, "kept": kept})


def _freeze(move: AgentMove, source: SourceNode, staging: Staging) -> None:
    earlier = AgentMove.objects.filter(agent=move.agent_id, target=move.target_id, step=Step.FAILED)
    if earlier.filter(detail__cleared__isnull=True).exists():
        raise Wait("an earlier move is being tidied up")
    staging.refuse_taken()
    frozen = source.freeze()
    _refuse_missing_folders(move.agent, frozen.workspace, frozen.transcripts)
    moves.advance(move, Step.COPY, **asdict(frozen))


def _copy(move: AgentMove, source: SourceNode, staging: Staging) -> None:
    wanted = list(source.inventory())
    staging.keep_only(wanted)
    missing = iter([entry for entry in wanted if not staging.has(entry)])
    while batch := list(islice(missing, BATCH_FILES)):
        for entry, blocks in source.files(batch):
            staging.write(entry, blocks)
        moves.progressed(move)
    moves.advance(move, Step.VERIFY)


def _verify(move: AgentMove, source: SourceNode, staging: Staging) -> None:
    now = list(source.inventory())
    staging.keep_only(now)
    different = [entry for entry in now if not (staging.has(entry) and staging.equals(entry))]
    if not different:
        facts = {"files": len(now), "bytes": sum(entry.size for entry in now), "digest": _digest(now)}
        moves.advance(move, Step.SWITCH, verified_at=source.listed_at, **facts)
        return
    rounds = int(move.detail.get("rounds", 0)) + 1
    for entry in different:
        if staging.has(entry):  # of the right size and time, and yet another content: it has to come again
            staging.places[entry.root].incoming.joinpath(entry.rel).unlink()
    moves.advance(move, Step.COPY, rounds=rounds)
    if rounds % ROUNDS == 0:
        raise Wait(f"{different[0].root}/{different[0].rel} and others are being saved again and again")


def _switch(move: AgentMove, source: SourceNode, staging: Staging) -> None:
    AgentMove.objects.filter(pk=move.pk, step=Step.SWITCH).update(detail={**move.detail, "taking": True})
    with transaction.atomic():
        row = AgentMove.objects.select_for_update().get(pk=move.pk)
        if row.step != Step.SWITCH:
            move.refresh_from_db()
            return
        staging.take()
        _become_owner(row, staging)
        moves.advance(row, Step.THAW)
    move.refresh_from_db()


def _thaw(move: AgentMove, source: SourceNode, staging: Staging) -> None:
    with transaction.atomic():
        Agent.objects.filter(pk=move.agent_id).update(frozen_at=None, update_requested_at=timezone.now())
        moves.advance(move, Step.ASIDE)


_STEPS: dict[str, Callable[[AgentMove, SourceNode, Staging], None]] = {
    Step.FREEZE: _freeze,
    Step.COPY: _copy,
    Step.VERIFY: _verify,
    Step.SWITCH: _switch,
    Step.THAW: _thaw,
}


def _become_owner(move: AgentMove, staging: Staging) -> None:
    agent = Agent.objects.select_for_update().get(pk=move.agent_id)
    moved = {
        Path(move.detail["workspace"]): staging.places["workspace"].final,
        Path(move.detail["transcripts"]): staging.places["transcripts"].final,
    }
    if Path(agent.workspace) != Path(move.detail["workspace"]):
        raise Wait("the agent was given another workspace meanwhile")
    agent.workspace = str(staging.places["workspace"].final)
    agent.node_id = move.target_id
    agent.save(update_fields=["workspace", "node", "modified_at"])
    for collection in agent.collections.all():
        collection.path = str(_moved(Path(collection.path), moved))
        collection.save(update_fields=["path", "modified_at"])
    # Jobs that worked on the old index notice that their run is no longer theirs; those that wait, wait here.
    Run.objects.filter(agent=agent, state__in=Run.ACTIVE).update(
        state=Run.State.QUEUED, lease_owner="", lease_until=None, dispatched_at=None, started_at=None
    )


def _moved(folder: Path, moved: dict[Path, Path]) -> Path:
    for before, after in moved.items():
        if folder.is_relative_to(before):
            return after / folder.relative_to(before)
    return folder


def _refuse_missing_folders(agent: Agent, workspace: str, transcripts: str) -> None:
    """A collection elsewhere is the owner's own folder: it has to be here too. Raises `RuleError`."""
    for collection in agent.collections.all():
        folder = Path(collection.path)
        if folder.is_relative_to(workspace) or folder.is_relative_to(transcripts):
            continue
        own = agent.slug if collection.kind == Collection.Kind.SESSIONS else ""
        what = f"the folder {folder} of the collection {collection.name}"
        try:
            there = checked_folder(str(folder), field="path", transcripts_of=own).is_dir()
        except RuleError as error:
            raise RuleError(f"{what} cannot be used on the other node: {error.message}") from error
        if not there:
            raise RuleError(f"{what} is not on the other node")


def _digest(listed: list[Entry]) -> str:
    digest = hashlib.sha256()
    for entry in listed:
        digest.update(f"{entry.root}/{entry.rel}\0{entry.digest}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _disk_problem(move: AgentMove, error: OSError) -> None:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        moves.give_up(move, f"the disk of {move.target_id} is full")
    moves.note_problem(move, f"{error.filename or 'a file'} on {move.target_id}: {error.strerror}")
