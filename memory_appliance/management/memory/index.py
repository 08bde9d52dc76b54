"""`memory index`: update (or rebuild) indexes in this process, as the same runs that the workers do."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

from tqdm import tqdm

from agents.core.actors import CLI
from agents.indexes.specs import embedding_spec, index_spec
from agents.jobs import runs
from agents.memory.reads import embedding_identity
from agents.models import Agent, Run
from agents.providers.role_models import embedder_for
from agents.registry.agents import request_rebuild, request_update
from memory_appliance.management.memory.choose import some_agents
from memory_appliance.management.memory.output import Failed, Output
from search.errors import Cancelled, EmbedderUnavailable, SearchError
from search.index.embed import embed_pending
from search.index.rebuild import rebuild_index
from search.index.report import Progress
from search.index.update import update_index
from workers.jobs import JOBS
from workers.lease import Lease, owner

POLL_SECONDS = 0.5
LOCK_SECONDS = 60.0
BOUT_SECONDS = 3600.0

Report = Callable[[Progress], None]


def index(output: Output, *, agent: str | None, rebuild: bool, embed: bool) -> None:
    reports = [_index_one(output, row, rebuild=rebuild, embed=embed) for row in some_agents(agent)]
    if output.as_json:
        output.answer(reports)
    elif not reports:
        output.remark("There is no agent yet.")


def _index_one(output: Output, agent: Agent, *, rebuild: bool, embed: bool) -> dict[str, Any]:
    request = request_rebuild if rebuild else request_update
    result = _do(output, request(actor=CLI, agent=agent, reason="cli"), _rebuild if rebuild else _update)
    report = {"agent": agent.slug, **result}
    pending = int(result.get("pending", 0))
    if pending and embed and not _embed(output, agent):
        output.remark(
            f"{agent.slug}: {pending} chunks wait for the embedding model; a running server goes on with them."
        )
    if not output.as_json and rebuild:
        output.line(
            f"{agent.slug}: {result.get('scanned', 0)} files looked at, {result.get('chunks', 0)} chunks, "
            f"{result.get('vectors', 0)} with vectors, {pending} chunks to embed"
        )
    elif not output.as_json:
        output.line(
            f"{agent.slug}: {result.get('scanned', 0)} files looked at, {result.get('added', 0)} added, "
            f"{result.get('changed', 0)} changed, {result.get('removed', 0)} removed, {pending} chunks to embed"
        )
    return report


def _embed(output: Output, agent: Agent) -> bool:
    """False when no model answers."""
    if embedding_identity(agent) is None:
        return False
    run = runs.request_run(agent=agent, kind=Run.Kind.EMBED, reason="cli")
    _do(output, run, _vectors)
    return True


def _update(run: Run, lease: Lease, report: Report) -> dict[str, Any]:
    return asdict(
        update_index(
            index_spec(run.index_agent),
            identity=embedding_identity(run.index_agent),
            progress=report,
            cancelled=lease.cancelled,
            lock_timeout=LOCK_SECONDS,
        )
    )


def _rebuild(run: Run, lease: Lease, report: Report) -> dict[str, Any]:
    spec, embedder = embedding_spec(run.index_agent), embedder_for(run.index_agent)
    while True:
        bout = rebuild_index(spec, embedder, budget_seconds=BOUT_SECONDS, progress=report, cancelled=lease.cancelled)
        if bout.swapped:
            return asdict(bout)


def _vectors(run: Run, lease: Lease, report: Report) -> dict[str, Any]:
    embedder = embedder_for(run.index_agent)
    if embedder is None:
        raise EmbedderUnavailable("No embedding model is configured.")
    return asdict(
        embed_pending(
            embedding_spec(run.index_agent),
            embedder,
            budget_seconds=BOUT_SECONDS,
            progress=report,
            cancelled=lease.cancelled,
        )
    )


def _do(output: Output, run: Run, job: Callable[[Run, Lease, Report], dict[str, Any]]) -> dict[str, Any]:
    """Do the run here, or follow it to its end when a worker has it. Raises `Failed`."""
    title = f"{run.kind} {run.agent_slug}"
    with _bar(output, title) as bar:
        while True:
            claimed = runs.claim(run.pk, owner=owner(), lease_seconds=JOBS[Run.Kind(run.kind)].lease_seconds)
            if claimed is not None:
                return _carry_out(claimed, job, bar)
            run.refresh_from_db()
            _show(bar, Progress(run.done, run.total, "chunks" if run.unit == "chunks" else "files"))
            if run.state == Run.State.DONE:
                return dict(run.result)
            if run.state not in Run.ACTIVE:
                raise Failed(f"{title}: {run.state}. {run.error}".strip())
            time.sleep(POLL_SECONDS)


def _carry_out(run: Run, job: Callable[[Run, Lease, Report], dict[str, Any]], bar: Any) -> dict[str, Any]:
    lease = Lease(run)

    def report(progress: Progress) -> None:
        _show(bar, progress)
        lease.progress(progress)

    try:
        result = job(run, lease, report)
    except Cancelled as error:
        _finish(run, Run.State.CANCELLED)
        raise Failed(f"{run.kind} {run.agent_slug}: cancelled.") from error
    except SearchError as error:
        line = f"{error.message} {error.hint}".strip()
        _finish(run, Run.State.FAILED, error=line)
        raise Failed(f"{run.kind} {run.agent_slug}: {line}") from error
    except BaseException:
        # Ctrl-C included: hand the run back, so that it waits for nobody's lease.
        runs.requeue(run.pk, owner=run.lease_owner, delay_seconds=0)
        raise
    lease.report()
    _finish(run, Run.State.DONE, result)
    return result


def _finish(run: Run, state: str, result: dict[str, Any] | None = None, error: str = "") -> None:
    runs.finish(run.pk, owner=run.lease_owner, state=state, result=result or {}, error=error)


def _bar(output: Output, title: str) -> AbstractContextManager[Any]:
    return tqdm(desc=title, disable=not output.on_terminal, leave=False, delay=0.5)


def _show(bar: Any, progress: Progress) -> None:
    bar.total, bar.unit = progress.total or None, f" {progress.unit}"
    bar.update(progress.done - bar.n)
