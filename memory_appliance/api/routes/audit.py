"""/audit: who did what, when, from where, to what; as pages and as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router

from agents.columns.public_ids import unveiled
from agents.core.audit import record
from agents.models import AuditEvent
from agents.registry import selectors
from memory_appliance.api.auth import ADMIN, actor_of, key_of
from memory_appliance.api.limits import RowId, RowLimit
from memory_appliance.api.schemas.audit import AuditAnswer, AuditList, AuditQuery, audit_answer

router = Router(tags=["audit"], auth=ADMIN)

ROWS_AT_ONCE = 1000
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet runs a cell that begins with one of these."""


@router.get("", response=AuditList, operation_id="list_audit")
def list_audit(
    request: HttpRequest, wanted: Query[AuditQuery], before: RowId | None = None, limit: RowLimit = 100
) -> AuditList:
    """Newest first; `before` an id: only older ones. A key for single agents sees what happened to these alone."""
    events = selectors.list_audit(wanted.filter(), _own_agents(request))
    if before is not None:
        events = events.filter(pk__lt=unveiled("audit", before))
    return AuditList(items=[audit_answer(event) for event in events[:limit]])


@router.get("/export", response={200: str}, operation_id="export_audit")
def export_audit(
    request: HttpRequest, wanted: Query[AuditQuery], format: Literal["jsonl", "csv"] = "jsonl"
) -> StreamingHttpResponse:
    """All lines that the filter lets through, newest first: JSON by line, or CSV for a spreadsheet."""
    events = selectors.list_audit(wanted.filter(), _own_agents(request)).iterator(chunk_size=ROWS_AT_ONCE)
    record(actor=actor_of(request), action="audit.export", detail={"format": format})
    kind, lines = ("text/csv", _csv(events)) if format == "csv" else ("application/x-ndjson", _jsonl(events))
    response = StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="audit.{format}"'
    return response


def _own_agents(request: HttpRequest) -> list[str] | None:
    own = key_of(request).agents
    return None if own == "*" else list(own)


def _jsonl(events: Iterator[AuditEvent]) -> Iterator[str]:
    return (audit_answer(event).model_dump_json() + "\n" for event in events)


def _csv(events: Iterator[AuditEvent]) -> Iterator[str]:
    yield _row(list(AuditAnswer.model_fields))
    for event in events:
        line = audit_answer(event).model_dump(mode="json")
        yield _row([json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict) else cell for cell in line.values()])


def _row(cells: list[str | int]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(
        f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) else cell for cell in cells
    )
    return buffer.getvalue()
