"""/agents/{slug}/status, /files, /update and /rebuild: an agent's index, and the jobs that write it."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from agents.memory import reads
from agents.models import Run
from agents.registry.agents import request_rebuild, request_update
from memory_appliance.api.auth import READ, WRITE, actor_of, agent_of
from memory_appliance.api.limits import RowLimit, RowOffset
from memory_appliance.api.schemas.index import FilesAnswer, StatusAnswer, file_answer, status_answer
from memory_appliance.api.schemas.runs import StartedAnswer, run_answer
from workers.dispatch import dispatch

router = Router(tags=["index"])


@router.get("/{slug}/status", response=StatusAnswer, auth=READ, operation_id="get_status")
def get_status(request: HttpRequest, slug: str) -> StatusAnswer:
    """What the index holds, what still waits, and what went wrong."""
    agent = agent_of(request, slug)
    return status_answer(agent, reads.status(agent))


@router.get("/{slug}/files", response=FilesAnswer, auth=READ, exclude_none=True, operation_id="list_files")
def list_files(
    request: HttpRequest,
    slug: str,
    limit: RowLimit = 1000,
    offset: RowOffset = 0,
) -> FilesAnswer:
    """Indexed files and files with problems, by path."""
    files = reads.files(agent_of(request, slug), limit=limit, offset=offset)
    return FilesAnswer(items=[file_answer(entry) for entry in files])


@router.post("/{slug}/update", response={202: StartedAnswer}, auth=WRITE, operation_id="update_index")
def update_index(request: HttpRequest, slug: str) -> Status[StartedAnswer]:
    """Look at every file now; what has changed is indexed. Joins an update that is already on its way."""
    return _started(request_update(actor=actor_of(request), agent=agent_of(request, slug)))


@router.post("/{slug}/rebuild", response={202: StartedAnswer}, auth=WRITE, operation_id="rebuild_index")
def rebuild_index(request: HttpRequest, slug: str) -> Status[StartedAnswer]:
    """Build the index anew from the files; searches go on from the old one until it is ready."""
    return _started(request_rebuild(actor=actor_of(request), agent=agent_of(request, slug)))


def _started(run: Run) -> Status[StartedAnswer]:
    dispatched = dispatch(run)
    return Status(202, StartedAnswer(run=run_answer(run), dispatched=dispatched))
