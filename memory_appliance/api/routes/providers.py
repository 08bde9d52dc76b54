"""/providers: who embeds, reranks and writes for the whole server, and whether it works."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest
from ninja import Router

from agents.providers.choices import checked_address, checked_choice, reset_provider, set_provider, test_plan
from agents.providers.plans import agent_plan, server_plan
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, require_fleet_key
from memory_appliance.api.schemas.providers import (
    ProvidersAnswer,
    ProvidersBody,
    RoleBody,
    TestAnswer,
    TestBody,
    providers_answer,
    test_answer,
)
from search.runtime.presets import Role
from search.runtime.providers.choice import NONE, parse_choice

router = Router(tags=["providers"], auth=ADMIN)


@router.get("", response=ProvidersAnswer, operation_id="get_providers")
def get_providers(request: HttpRequest) -> ProvidersAnswer:
    """The choice for each role, and every provider there is. Keys are not shown, only whether they are set."""
    require_fleet_key(request)
    return providers_answer()


@router.put("", response=ProvidersAnswer, operation_id="set_providers")
def set_providers(request: HttpRequest, payload: ProvidersBody) -> ProvidersAnswer:
    """Change the roles that are named. Another embedding model builds every index anew beside the old one."""
    require_fleet_key(request)
    bodies: dict[Role, RoleBody | None] = {
        "embed": payload.embed,
        "rerank": payload.rerank,
        "generate": payload.generate,
    }
    named = {role: body for role, body in bodies.items() if role in payload.model_fields_set}
    for role, body in named.items():
        _check(role, body)
    for role, body in named.items():
        if body is None:
            reset_provider(actor=actor_of(request), role=role)
        else:
            set_provider(actor=actor_of(request), role=role, **body.model_dump())
    return providers_answer()


@router.post("/test", response=TestAnswer, operation_id="test_provider")
def test_provider(request: HttpRequest, payload: TestBody) -> TestAnswer:
    """Really ask the model, and report what came and how long it took. A failure is part of the answer."""
    require_fleet_key(request)
    role = payload.role
    plan = agent_plan(role, agent_of(request, payload.agent)) if payload.agent else server_plan(role)
    if payload.model is not None:
        choice = parse_choice(role, checked_choice(role, payload.model, field="model"))
        plan = replace(plan, first=choice, base_url="", dims=None)
    if payload.base_url:
        plan = replace(plan, base_url=checked_address(payload.base_url, field="base_url"))
    return test_answer(test_plan(plan))


def _check(role: Role, body: RoleBody | None) -> None:
    """All or nothing: what is wrong with one role leaves the others alone too."""
    if body is not None:
        checked_choice(role, body.model, field=f"{role}.model")
        checked_choice(role, body.fallback or NONE, field=f"{role}.fallback")
        checked_address(body.base_url, field=f"{role}.base_url")
