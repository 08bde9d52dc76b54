"""Update: bring one agent's index in line with its files, then see that new chunks get their vectors."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.utils import timezone

from agents.core.quota import recount
from agents.indexes.broken_rows import row_faults
from agents.indexes.following import catch_up, look_at_all, publish_vectors
from agents.indexes.specs import embedding_spec
from agents.jobs.runs import request_run, request_switch
from agents.memory.reads import embedding_identity
from agents.models import Agent, Collection, Run
from agents.upkeep.forget import settle
from agents.workspace.unfinished import waiting_writes
from search.documents.contain import is_folder
from search.errors import SearchError
from search.index.rebuild import drop_unwanted_build
from search.sentences import sentence
from search.spec import EmbeddingIdentity, IndexSpec
from workers.app import app
from workers.dispatch import dispatch
from workers.door import forget_if_deleted, work_on
from workers.lease import Lease

CATCH_UP_SECONDS = 60.0
LOCK_SECONDS = 5.0
"""An embedding job holds the lock for a moment to store its vectors; only a longer holder sends the run back."""


@app.task(name="workers.update")
def update(run_id: int) -> None:
    work_on(run_id, Run.Kind.UPDATE, _update)


def _update(run: Run, lease: Lease) -> dict[str, Any]:
    settle(run.index_agent, timeout=LOCK_SECONDS)
    spec = embedding_spec(run.index_agent)
    identity = embedding_identity(run.index_agent)
    catch_up(run.index_agent, lambda: identity, seconds=CATCH_UP_SECONDS)
    report = look_at_all(
        run.index_agent,
        spec,
        identity,
        progress=lease.progress,
        cancelled=lease.cancelled,
        lock_timeout=LOCK_SECONDS,
    )
    publish_vectors(run.index_agent, spec, identity)
    recount(run.index_agent)
    forget_if_deleted(run, spec)
    if identity is not None:
        _follow_identity(run, spec, identity, stale=report.stale)
    if report.unconverted:
        Agent.objects.filter(pk=run.index_agent.pk).update(update_requested_at=timezone.now())
    if report.pending and not report.stale:
        dispatch(request_run(agent=run.index_agent, kind=Run.Kind.EMBED, reason="update"))
    _refuse_to_call_it_well(run.index_agent)
    return asdict(replace(report, paths=()))


def _refuse_to_call_it_well(agent: Agent) -> None:
    """The index is as good as it can be; an agent whose folder is away or whose note waits is marked all the same."""
    for _, reason in waiting_writes(agent):
        raise SearchError(reason.rstrip("."), hint=sentence("It is finished when the file can be written again."))
    for fault in row_faults(agent):
        message, _, hint = fault.partition("; ")
        raise SearchError(message, hint=f"{hint[:1].upper()}{hint[1:]}.")
    if not is_folder(Path(agent.workspace)):
        raise SearchError(
            sentence("The folder {workspace} is not there", workspace=agent.workspace),
            hint=sentence("Bring it back, or give the agent another workspace."),
        )
    for kind, name, path in agent.collections.values_list("kind", "name", "path"):
        if kind == Collection.Kind.CUSTOM and not is_folder(Path(path)):
            raise SearchError(
                sentence("The folder {path} of collection {name} is not there or cannot be read", path=path, name=name),
                hint=sentence("Bring it back, or delete that collection."),
            )
        if kind == Collection.Kind.SESSIONS and not is_folder(Path(path)):
            raise SearchError(
                sentence("The folder {path} of its chats is not there, so they are not found", path=path),
                hint=sentence("Bring it back, or delete that collection: the next message makes it again."),
            )


def _follow_identity(run: Run, spec: IndexSpec, identity: EmbeddingIdentity, *, stale: bool) -> None:
    """Every update looks whether the embedding set-up is still the one that the index was made with."""
    if not stale:
        drop_unwanted_build(spec.path, identity)
    elif (switch := request_switch(agent=run.index_agent, fingerprint=identity.fingerprint)) is not None:
        dispatch(switch)
