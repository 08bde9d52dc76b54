"""Whose files a request is about: by its address, and for MCP by the agent that the message names or implies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from types import NoneType
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db.models import F
from django.http import HttpRequest, UnreadablePostError

from agents.api_keys import find_key, visible_agents
from agents.errors import RuleError
from agents.models import Agent
from agents.models.agent import SLUG_PATTERN
from agents.nodes.ownership import own_name
from agents.selectors import list_agents
from memory_appliance import mcp
from memory_appliance.api.auth import bearer_of
from memory_appliance.api.parser import MalformedBody, StrictJsonParser
from memory_appliance.mcp.place import cursor_place, uri_parts

_ADDRESS = re.compile(r"/(?:api/v1/)?agents/([^/]+)")
_ADMIN_ADDRESS = re.compile(r"/admin/agents/agent/(\d{1,18})/")
_READING = re.compile(r"/api/v1/agents/[^/]+/(?:search|get|multi_get|recall|context|scope/check)\Z")
"""What only reads although it is a POST: the question can be long."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Home:
    """The agent a request is about, and the node that has its files."""

    slug: str
    node: str
    url: str
    frozen_at: datetime | None
    settings: dict[str, Any]

    @property
    def elsewhere(self) -> bool:
        return self.node != own_name()


def home_of(request: HttpRequest) -> Home | None:
    """None when it is about no agent that exists, or about several: then every node can answer it. One query."""
    found = _ADDRESS.match(request.path_info)
    if found is not None:
        return _home(slug=found[1]) if re.match(SLUG_PATTERN, found[1]) else None
    found = _ADMIN_ADDRESS.match(request.path_info)
    if found is not None:
        return _home(pk=int(found[1]))
    if request.path_info in mcp.PATHS and request.method == "POST":
        slug = _of_message(request)
        return _home(slug=slug) if slug else None
    return None


def only_reads(request: HttpRequest) -> bool:
    """MCP is asked tool by tool, further in."""
    return request.method in _SAFE or request.path_info in mcp.PATHS or _READING.match(request.path_info) is not None


def _home(**which: Any) -> Home | None:
    row = (
        Agent.objects.filter(**which)
        .annotate(node_url=F("node__url"))
        .values("slug", "node", "node_url", "frozen_at", "settings")
        .first()
    )
    if row is None:
        return None
    return Home(row["slug"], row["node"] or "", row["node_url"] or "", row["frozen_at"], row["settings"])


def _of_message(request: HttpRequest) -> str:
    """ "" when every node gives the same answer, which includes whatever is wrong with the message."""
    try:
        message = StrictJsonParser().parse_body(request)
    except (MalformedBody, RequestDataTooBig, UnreadablePostError):
        return ""
    # The parser leaves it to others to ask for an object. A batch goes to the node of the first agent it is about.
    messages = message if isinstance(message, list) else [message]
    return next(filter(None, (_of_one(request, one) for one in messages if isinstance(one, dict))), "")


def _of_one(request: HttpRequest, message: dict[str, Any]) -> str:
    params = message.get("params")
    try:
        return _of_method(request, message.get("method"), params if isinstance(params, dict) else {})
    except RuleError:
        return ""


def _of_method(request: HttpRequest, method: object, params: dict[str, Any]) -> str:
    """Raises `RuleError` for a cursor or an address that is none."""
    if method in ("tools/call", "prompts/get"):
        arguments = params.get("arguments")
        named = arguments.get("agent") if isinstance(arguments, dict) else None
        return named if isinstance(named, str) else _only_agent(request)
    if method == "resources/read" and isinstance(uri := params.get("uri"), str):
        return uri_parts(uri)[0]
    if method == "resources/list" and isinstance(cursor := params.get("cursor"), (str, NoneType)):
        return next(iter(_agents(request, cursor_place(cursor)[0])), "")
    return ""


def _only_agent(request: HttpRequest) -> str:
    slugs = _agents(request)
    return slugs[0] if len(slugs) == 1 else ""


def _agents(request: HttpRequest, first: str = "") -> list[str]:
    """The key's first two agents from `first` on. Nothing is counted: to admit the key is for the owner's node."""
    secret = bearer_of(request)
    key = find_key(secret) if secret else None
    if key is None:
        return []
    found = list_agents(visible_agents(key)).filter(slug__gte=first).order_by("slug")
    return list(found.values_list("slug", flat=True)[:2])
