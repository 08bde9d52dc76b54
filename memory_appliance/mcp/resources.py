"""Resources: the files of a memory as `memory://<agent>/<path>`, for chats that the scope rules allow."""

from __future__ import annotations

from urllib.parse import quote

import mcp_types as types
from django.http import HttpRequest

from agents.access.secrets import visible_agents
from agents.core.agent_settings import memory_on
from agents.core.errors import NotFound
from agents.memory import reads
from agents.memory.opening import check_scope
from agents.models import Agent
from agents.registry.selectors import list_agents
from memory_appliance.api.auth import agent_of, caller_of, key_of
from memory_appliance.mcp.place import SCHEME, cursor_place, uri_parts
from search.get import GetResult
from search.marks import inert, label

PAGE = 100
AGENTS_LOOKED_AT = 20
"""Agents without a file to show that one page passes over before it says: go on from here."""
MAX_BYTES = 1024 * 1024

TEMPLATE = types.ResourceTemplate(
    name="memory-file",
    title="A file of a memory",
    uri_template=f"{SCHEME}://{{agent}}/{{+path}}",
    description="Markdown of an agent's memory, as memory_search names it.",
    mime_type="text/markdown",
)


def list_resources(request: HttpRequest, cursor: str | None) -> types.ListResourcesResult:
    """One page: the readable files of the next of the key's agents that has any."""
    slug, offset = cursor_place(cursor)
    agents = list_agents(visible_agents(key_of(request))).filter(slug__gte=slug).order_by("slug")
    agents = agents.prefetch_related("collections", "scope_rules")
    *looked_at, following = [*agents[: AGENTS_LOOKED_AT + 1], None]
    if len(looked_at) > AGENTS_LOOKED_AT:
        following = looked_at.pop()
    for place, agent in enumerate(looked_at):
        start = offset if agent.slug == slug else 0
        page = _files(request, agent, start)
        if page is None:
            continue
        found, more = page
        after = looked_at[place + 1] if place + 1 < len(looked_at) else following
        next_cursor = f"{agent.slug}:{start + PAGE}" if more else f"{after.slug}:0" if after else None
        return types.ListResourcesResult(resources=found, next_cursor=next_cursor)
    return types.ListResourcesResult(resources=[], next_cursor=f"{following.slug}:0" if following else None)


def read_resource(request: HttpRequest, uri: str) -> str:
    """The whole text. Raises `NotFound`, also for what this caller may not know of."""
    slug, path = uri_parts(uri)
    found = reads.multi_get(
        agent=agent_of(request, slug), caller=caller_of(request), session=None, paths=[path], max_bytes=MAX_BYTES
    )
    if isinstance(found, reads.Denied):
        raise NotFound(
            f"Memory may not be used without a chat: {found.decision.reason}.",
            hint="Use memory_get with its sessionKey, or a key that is trusted.",
        )
    file: GetResult = found[0]
    if file.status != "ok":
        raise NotFound(file.error or f"There is no file {path}.", hint="resources/list names what can be read.")
    return inert(file.text)


def _files(request: HttpRequest, agent: Agent, offset: int) -> tuple[list[types.Resource], bool] | None:
    """A page of the agent's readable files and whether more follow; None when there is nothing to show."""
    if not memory_on(agent.settings):
        return None
    if not check_scope(agent=agent, caller=caller_of(request), session=None).allowed:
        return None
    readable = {collection.name for collection in agent.collections.all() if collection.kind != "sessions"}
    entries = reads.files(agent, limit=PAGE + 1, offset=offset)
    found = [
        types.Resource(
            uri=f"{SCHEME}://{agent.slug}/{quote(entry.path)}",
            name=label(entry.path),
            mime_type="text/markdown",
            size=entry.size,
        )
        for entry in entries[:PAGE]
        if entry.collection in readable and entry.problem is None
    ]
    more = len(entries) > PAGE
    return (found, more) if found or more else None
