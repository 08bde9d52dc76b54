"""The first door of a node among others: a request for an agent of another node is handed on, all others pass.

Handing on is done outside (`forward.py`), by a thread that only waits; here it is decided. What another node has handed
on is taken as if the client had come here itself, and is never handed on again.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost, MiddlewareNotUsed, RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agents.agent_settings import read_settings
from agents.api_keys import find_key, sees
from agents.models import Agent
from agents.nodes.freezing import AgentMoving
from agents.nodes.signature import HEADER, Hop, NotSigned, verify
from agents.roles import role_with
from memory_appliance import mcp
from memory_appliance.admission import ARRIVED
from memory_appliance.api.auth import bearer_of
from memory_appliance.api.codes import ErrorCode
from memory_appliance.api.shape import error_response, wants_json
from memory_appliance.nodes.forward import AWAY, PLAN, Plan, target_of
from memory_appliance.nodes.whose import Home, home_of, only_reads

GetResponse = Callable[[HttpRequest], HttpResponse]

logger = logging.getLogger(__name__)

HOP = "memory.node.hop"
"""META entry: what the node says that sent or handed on this request; only after its signature was looked at."""
_REFUSAL = "memory.node.refusal"

GRACE_SECONDS = 2.0
"""Beyond the request's own deadline, for the way there and back."""
PATIENCE_SECONDS = 120.0
"""For requests without a deadline."""
LONG_SECONDS = 660.0
_LONG = frozenset({"flush", "reset", "consolidate", "import", "jsonl"})
"""Where a model writes, or a whole archive is read; the longest deadline that a caller can give is ten minutes."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Said only to those who may know of the agent; the others are answered as if it were here."""

    slug: str
    code: ErrorCode
    message: str
    hint: str = ""


class NodeDoor:
    """The outermost middleware; a single server has none."""

    def __init__(self, get_response: GetResponse) -> None:
        if not settings.MEMORY_NODE_NAME:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            hop = _restore(request)
        except NotSigned as problem:
            logger.warning("a request that claims to be a node's was refused: %s", problem)
            return error_response(
                ErrorCode.FORBIDDEN,
                "This server does not take the request for one of a node of its fleet.",
                hint="Give all nodes the same MEMORY_NODE_SECRET, and clocks that agree within a minute.",
            )
        home = _home_if_known(request)
        if home is None:
            return self.get_response(request)
        if home.elsewhere:
            away = request.META.pop(AWAY, None)
            if hop is None and away is None and home.url and _known_host(request):
                request.META[PLAN] = _plan(request, home)
                return HttpResponse()  # never seen: the request is handed on instead
            request.META[_REFUSAL] = _not_here(home, handed_on=hop is not None)
        elif home.frozen_at is not None and not only_reads(request):
            moving = AgentMoving(home.slug)
            request.META[_REFUSAL] = _Refusal(home.slug, ErrorCode.AGENT_MOVING, moving.message, moving.hint)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        """A refusal, once it is known who asks."""
        refusal: _Refusal | None = request.META.get(_REFUSAL)
        if refusal is None or not _may_know(request, refusal.slug):
            return None
        if wants_json(request):
            return error_response(refusal.code, refusal.message, hint=refusal.hint)
        context = {"status": 503, "message": refusal.message, "hint": refusal.hint or refusal.code.hint}
        page = render(request, "failure.html", context, status=503)
        page["Retry-After"] = "2"
        return page


def _restore(request: HttpRequest) -> Hop | None:
    """The client's own connection in place of the node's that handed its request on. Raises `NotSigned`."""
    value = request.headers.get(HEADER)
    if value is None:
        return None
    hop = verify(value, request.method or "", target_of(request.META), own=settings.MEMORY_NODE_NAME)
    request.META[HOP] = hop
    if hop.peer:
        request.META["REMOTE_ADDR"] = hop.peer
        request.META["wsgi.url_scheme"] = hop.scheme
        host = request.headers.get("Host", "")
        request.get_host = lambda: host  # type: ignore[method-assign] # looked at where the client came in
    if ARRIVED in request.META:
        request.META[ARRIVED] -= hop.waited_ms / 1000
    return hop


def _home_if_known(request: HttpRequest) -> Home | None:
    """Without the control database nobody can be asked: the request goes on, and is told so in its own way."""
    try:
        return home_of(request)
    except DatabaseError as error:
        logger.warning("it is not known whose a request is: %s", error)
        return None


def _plan(request: HttpRequest, home: Home) -> Plan:
    """The owner may take as long as the deadline that the request has there, and some grace."""
    arrived = request.META.get(ARRIVED, time.monotonic())
    what = request.path_info.rpartition("/")[2]
    own = read_settings(home.settings)
    defaults = {"search": own.deadline_ms, "recall": own.recall_timeout_ms}
    if request.path_info in mcp.PATHS:
        return Plan(home.node, home.url, arrived, PATIENCE_SECONDS, request.body)
    if request.method == "POST" and what in defaults and (body := _small_body(request)) is not None:
        patience = _deadline_ms(body, defaults[what]) / 1000 + GRACE_SECONDS
        return Plan(home.node, home.url, arrived, patience, body)
    return Plan(home.node, home.url, arrived, LONG_SECONDS if what in _LONG else PATIENCE_SECONDS)


def _small_body(request: HttpRequest) -> bytes | None:
    """None when it is larger than the server reads: the owner says so."""
    try:
        return request.body
    except RequestDataTooBig:
        return None


def _deadline_ms(body: bytes, default: int) -> int:
    try:
        wanted = json.loads(body)
    except ValueError:
        return default
    values: dict[str, Any] = wanted if isinstance(wanted, dict) else {}
    given = values.get("deadline_ms", values.get("timeout_ms"))
    return given if isinstance(given, int) and 0 < given <= 120_000 else default


def _not_here(home: Home, *, handed_on: bool) -> _Refusal:
    if not home.node:
        return _Refusal(home.slug, ErrorCode.NODE_LOST, f"Agent {home.slug} belongs to no node.", "See docs/nodes.md.")
    if handed_on:
        return _Refusal(home.slug, ErrorCode.AGENT_MOVING, f"Agent {home.slug} has just moved to another node.")
    return _Refusal(home.slug, ErrorCode.NODE_LOST, f"The node {home.node}, which has {home.slug}, does not answer.")


def _may_know(request: HttpRequest, slug: str) -> bool:
    if wants_json(request):
        secret = bearer_of(request)
        key = find_key(secret) if secret else None
        return key is not None and sees(key, slug)
    agent = Agent.objects.filter(slug=slug).first()
    return agent is not None and role_with(request.user, agent) is not None


def _known_host(request: HttpRequest) -> bool:
    """A name that is not this server's is refused here, as without nodes."""
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
