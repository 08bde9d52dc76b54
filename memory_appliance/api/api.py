"""The API at /api/v1: its routers, its parser, its errors."""

from __future__ import annotations

from memory_appliance.api import errors
from memory_appliance.api.description import DescribedApi
from memory_appliance.api.parser import StrictJsonParser
from memory_appliance.api.renderer import Utf8Renderer
from memory_appliance.api.routes import (
    agents,
    audit,
    collections,
    consolidate,
    context,
    export,
    files,
    flush,
    forget,
    get,
    imports,
    index,
    keys,
    learned,
    models,
    notes,
    providers,
    recall,
    runs,
    scope,
    search,
    settings,
    transcripts,
    users,
)

api = DescribedApi(
    title="Memory Appliance",
    version="1",
    description="A memory server for many agents. Every error has one shape; its codes are in docs/errors.md.",
    urls_namespace="api",
    openapi_url="/openapi.json",
    docs_url=None,
    parser=StrictJsonParser(),
    renderer=Utf8Renderer(),
)
errors.install(api)

for part in (
    search,
    get,
    recall,
    context,
    notes,
    transcripts,
    flush,
    consolidate,
    files,
    forget,
    imports,
    export,
):
    api.add_router("/agents", part.router)
for part in (learned, index, agents, collections, scope, settings):
    api.add_router("/agents", part.router)
api.add_router("/settings", settings.defaults)
api.add_router("/keys", keys.router)
api.add_router("/users", users.router)
api.add_router("/runs", runs.router)
api.add_router("/audit", audit.router)
api.add_router("/models", models.router)
api.add_router("/providers", providers.router)
