"""/agents/{slug}/export: all of an agent's Markdown as a zip file."""

from __future__ import annotations

import tempfile

from django.http import FileResponse, HttpRequest
from ninja import Router

from agents.files.export import write_export
from agents.memory.opening import gate
from memory_appliance.api.auth import READ, actor_of, agent_of, caller_of
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError

router = Router(tags=["files"], auth=READ)

IN_MEMORY_BYTES = 4 * 1024 * 1024


@router.get("/{slug}/export", response={200: bytes}, operation_id="export")
def export(request: HttpRequest, slug: str) -> FileResponse:
    """The files and `agent.json`. For the owner: keys with right `admin` or `trusted`."""
    agent = agent_of(request, slug)
    if not gate(agent, caller_of(request), None, "export").allowed:
        raise ApiError(
            ErrorCode.FORBIDDEN, "An export holds the whole memory.", hint="Use a key that is trusted, or an admin key."
        )
    file = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - the response closes it
    write_export(agent=agent, actor=actor_of(request), file=file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{agent.slug}.zip", content_type="application/zip")
