"""Providers as the API takes and shows them: never a key, only whether there is one."""

from __future__ import annotations

from typing import Any, Literal

from django.conf import settings
from pydantic import Field

from agents.providers.choices import TestReport
from agents.providers.plans import ROLES, RolePlan, address_of, server_plan
from memory_appliance.api.schemas.base import Answer, Body
from search.runtime.presets import Role
from search.runtime.providers.choice import NONE
from search.runtime.providers.table import PROVIDERS, Provider


class RoleBody(Body):
    model: str = Field(max_length=300, examples=["openai:text-embedding-3-small"])
    fallback: str = Field("", max_length=300, examples=["local"], description="Who takes over; empty: nobody.")
    base_url: str = Field(
        "", max_length=500, description="Where the provider is. No key is sent to an address set here."
    )
    dimensions: int | None = Field(None, ge=8, le=8192, description="Fewer than the model makes.")


class ProvidersBody(Body):
    """Roles that are not named stay as they are; null brings the options' choice back."""

    nullable = frozenset({"embed", "rerank", "generate"})

    embed: RoleBody | None = None
    rerank: RoleBody | None = None
    generate: RoleBody | None = None


class TestBody(Body):
    """What is left out is as it is set: for the agent when one is named, else for the server."""

    role: Role = "embed"
    agent: str | None = Field(None, max_length=63)
    model: str | None = Field(None, max_length=300)
    base_url: str = Field("", max_length=500)


class RoleAnswer(Answer):
    role: Role
    provider: str
    model: str
    fallback: str | None
    base_url: str
    dimensions: int | None
    source: Literal["agent", "server", "option"] = Field(description="Where the choice was made.")
    lacks: str | None = Field(description="What must be set before the provider can be asked.")


class ProviderAnswer(Answer):
    name: str
    roles: list[Role]
    default_models: dict[str, str]
    base_url: str
    key_option: str
    key_set: bool


class ProvidersAnswer(Answer):
    items: list[RoleAnswer]
    providers: list[ProviderAnswer]


class TestAnswer(Answer):
    """`detail` has `dims` for embed, `scores` for rerank, `text` for generate; `kind` is the class of the error."""

    ok: bool
    role: Role
    model: str
    took_ms: float
    detail: dict[str, Any]
    kind: str
    error: str
    hint: str


def providers_answer() -> ProvidersAnswer:
    return ProvidersAnswer(
        items=[role_answer(server_plan(role)) for role in ROLES],
        providers=[_provider(provider) for provider in PROVIDERS],
    )


def role_answer(plan: RolePlan) -> RoleAnswer:
    address = address_of(plan, plan.first) if plan.first.is_remote else None
    return RoleAnswer(
        role=plan.role,
        provider=plan.first.provider,
        model=str(plan.first),
        fallback=None if plan.second.provider == NONE else str(plan.second),
        base_url=address.base_url if address else "",
        dimensions=plan.dims,
        source=plan.source,
        lacks=(address.lacks or None) if address else None,
    )


def test_answer(report: TestReport) -> TestAnswer:
    return TestAnswer.model_validate(report, from_attributes=True)


def _provider(provider: Provider) -> ProviderAnswer:
    name = provider.name
    return ProviderAnswer(
        name=name,
        roles=[role for role in ROLES if role in provider.models],
        default_models={str(role): model for role, model in provider.models.items()},
        base_url=settings.MEMORY_PROVIDER_URLS.get(name) or provider.base_url,
        key_option=f"MEMORY_{name.upper()}_API_KEY",
        key_set=settings.MEMORY_PROVIDER_KEYS.get(name) is not None,
    )
