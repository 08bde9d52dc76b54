"""The node door, /nodes/v1: what the target of a move asks of the source. Signed requests of other nodes alone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from agents.errors import Conflict, RuleError
from agents.models import AgentMove
from agents.nodes import source
from agents.nodes.inventory import BLOCK, open_entry
from agents.nodes.places import source_roots
from agents.nodes.signature import Hop
from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.shape import error_response
from memory_appliance.nodes.door import HOP
from search.documents.contain import PathNotAllowed

View = Callable[[HttpRequest, AgentMove], HttpResponseBase]


def of_a_move(view: View) -> Callable[[HttpRequest, int], HttpResponseBase]:
    """Only the node that an agent moves to, as long as it does, is shown anything."""

    def guarded(request: HttpRequest, move_id: int) -> HttpResponseBase:
        hop: Hop | None = request.META.get(HOP)
        if hop is None or hop.peer:  # of a client, whoever handed its request on
            return error_response(ErrorCode.NOT_FOUND, "There is nothing at this address.")
        try:
            return view(request, source.move_out(move_id, hop.sender))
        except RuleError as error:
            code = ErrorCode(error.code) if error.code in set(ErrorCode) else ErrorCode.CONFLICT
            return error_response(code, error.message, hint=error.hint)

    return guarded


def freeze(request: HttpRequest, move: AgentMove) -> HttpResponse:
    return JsonResponse(asdict(source.freeze(move)))


def inventory(request: HttpRequest, move: AgentMove) -> StreamingHttpResponse:
    return StreamingHttpResponse(_lines(move), content_type="application/x-ndjson")


def _lines(move: AgentMove) -> Iterator[bytes]:
    count, began = 0, time.time()
    for entry in source.inventory(move):
        count += 1
        yield _line(asdict(entry))
    yield _line({"end": count, "at": began})


def files(request: HttpRequest, move: AgentMove) -> StreamingHttpResponse:
    try:
        wanted = [(str(root), str(rel)) for root, rel in json.loads(request.body)["files"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Conflict("The list of files cannot be read.", hint="Are both nodes of the same version?") from error
    roots = source_roots(move.agent, move.pk)
    return StreamingHttpResponse(_contents(roots, wanted), content_type="application/octet-stream")


def _contents(roots: Mapping[str, Path], wanted: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    """For each file a line with its size, then its bytes. One that has gone, or never was, is left out."""
    for root, rel in wanted:
        try:
            handle = open_entry(roots[root], rel)
        except (OSError, KeyError, PathNotAllowed):
            continue
        with os.fdopen(handle, "rb") as file:
            left = os.fstat(file.fileno()).st_size
            yield _line({"root": root, "rel": rel, "size": left})
            while left:
                block = file.read(min(BLOCK, left))
                if not block:
                    return  # it was cut short just now: the target sees the stream break off, and asks again
                left -= len(block)
                yield block
    yield _line({"end": True})


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values).encode() + b"\n"
