"""Embed: give one agent's waiting chunks their vectors, for one bout; then the next agent has its turn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from agents.core.telemetry import telemetry
from agents.indexes.following import catch_up, tell
from agents.indexes.specs import embedding_spec
from agents.jobs.runs import request_switch
from agents.models import Change, Run
from agents.providers.role_models import embedder_for
from search.errors import EmbedderUnavailable, IdentityChanged
from search.index.embed import embed_pending
from search.sentences import sentence
from workers.app import app
from workers.dispatch import dispatch
from workers.door import HandBack, forget_if_deleted, work_on
from workers.lease import Lease
from workers.sharing import shared

BOUT_SECONDS = 20.0
REBUILD_PATIENCE = 30.0


@app.task(name="workers.embed")
def embed(run_id: int) -> None:
    work_on(run_id, Run.Kind.EMBED, _embed)


def _embed(run: Run, lease: Lease) -> dict[str, Any]:
    embedder = embedder_for(run.index_agent)
    if embedder is None:
        raise EmbedderUnavailable(sentence("No embedding model is configured."))
    spec = embedding_spec(run.index_agent)
    catch_up(run.index_agent, embedder.identity, seconds=BOUT_SECONDS)
    try:
        together, lanes = shared(embedder)
        report = embed_pending(
            spec,
            together,
            budget_seconds=BOUT_SECONDS,
            progress=lease.progress,
            cancelled=lease.cancelled,
            lanes=lanes,
        )
    except IdentityChanged as error:
        switch = request_switch(agent=run.index_agent, fingerprint=embedder.identity().fingerprint)
        if switch is not None:
            dispatch(switch)
        raise HandBack(error.message, delay_seconds=REBUILD_PATIENCE) from error
    telemetry().embedded(report.embedded)
    if report.embedded:
        tell(run.index_agent, what=Change.What.VECTORS)
    forget_if_deleted(run, spec)
    if report.pending:
        raise HandBack()
    return asdict(report)
