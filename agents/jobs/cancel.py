"""cancel_run(): a person's wish to stop a background job."""

from __future__ import annotations

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict
from agents.jobs import runs
from agents.models import Run
from search.sentences import sentence


def cancel_run(*, actor: Actor, run: Run) -> Run:
    """Cancel a waiting run, ask a running one to stop. Raises `Conflict` when it has ended already."""
    if run.state not in Run.ACTIVE:
        raise Conflict(
            sentence("Run {public_id} has ended already: {state}.", public_id=run.public_id, state=run.state),
            hint=sentence("There is nothing to cancel."),
        )
    run = runs.cancel(run)
    record(
        actor=actor,
        action="run.cancel",
        target=str(run.public_id),
        agent_slug=run.agent_slug,
        detail={"kind": run.kind},
    )
    return run
