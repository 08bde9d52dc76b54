"""set_provider(), test_plan(): choose who does a role for the whole server, and try whoever might."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Invalid
from agents.models import Agent, ProviderChoice
from agents.providers.plans import RolePlan, server_plan
from agents.providers.role_models import plan_embedder, plan_generator, plan_reranker
from search.errors import ModelUnavailable
from search.runtime.presets import Role
from search.runtime.protocols import Message
from search.runtime.providers.address import checked_url
from search.runtime.providers.choice import NONE, parse_choice
from search.sentences import sentence

TEST_SECONDS = 20.0
_QUESTION = "Where is the spare key?"
_PROBES = ("The spare key is under the blue pot.", "Tomatoes want six hours of sun.")


@dataclass(frozen=True, slots=True)
class TestReport:
    """`detail` holds what the role has to show: `dims`, `scores` or `text`. `kind` is the provider's error class."""

    ok: bool
    role: Role
    model: str
    took_ms: float
    detail: dict[str, Any]
    kind: str = ""
    error: str = ""
    hint: str = ""


def set_provider(
    *, actor: Actor, role: Role, model: str, fallback: str = "", base_url: str = "", dimensions: int | None = None
) -> RolePlan:
    """Every agent without a choice of its own follows: its index is built anew beside the old one."""
    values = {
        "model": checked_choice(role, model, field=f"{role}.model"),
        "fallback": checked_choice(role, fallback or NONE, field=f"{role}.fallback"),
        "base_url": checked_address(base_url, field=f"{role}.base_url"),
        "dimensions": dimensions,
    }
    with transaction.atomic():
        ProviderChoice.objects.update_or_create(role=role, defaults=values)
        _look_again(role)
        record(actor=actor, action="provider.set", target=role, detail=values)
    return server_plan(role)


def reset_provider(*, actor: Actor, role: Role) -> RolePlan:
    """Back to what the options say."""
    with transaction.atomic():
        ProviderChoice.objects.filter(pk=role).delete()
        _look_again(role)
        record(actor=actor, action="provider.reset", target=role)
    return server_plan(role)


def test_plan(plan: RolePlan) -> TestReport:
    """Really ask the first choice of `plan`, and say how long it took. A failure is a report, not an error."""
    began = time.monotonic()
    try:
        detail = _ask(plan)
    except ModelUnavailable as error:
        return TestReport(
            False, plan.role, str(plan.first), _since(began), {}, error.kind or error.code, error.message, error.hint
        )
    return TestReport(True, plan.role, str(plan.first), _since(began), detail)


def checked_choice(role: Role, text: str, *, field: str) -> str:
    try:
        return str(parse_choice(role, text))
    except ValueError as error:
        raise Invalid(
            f"{field}: {error}.", hint=sentence("Such as `local` or `provider:model`."), field=field
        ) from error


def checked_address(url: str, *, field: str) -> str:
    try:
        return checked_url(url) if url else ""
    except ValueError as error:
        raise Invalid(f"{field}: {error}.", hint=sentence("Such as http://127.0.0.1:8080/v1."), field=field) from error


def _ask(plan: RolePlan) -> dict[str, Any]:
    if plan.role == "embed":
        embedder = plan_embedder(plan)
        if embedder is None:
            return {"note": sentence("No model is wanted: searches go by words.")}
        vectors = embedder.embed_documents(_PROBES[:1], timeout=TEST_SECONDS)
        return {"dims": int(vectors.shape[1]), "fingerprint": embedder.identity().fingerprint}
    if plan.role == "rerank":
        reranker = plan_reranker(plan)
        if reranker is None:
            return {"note": sentence("No model is wanted: results keep their order.")}
        scores = reranker.rerank(_QUESTION, _PROBES, timeout=TEST_SECONDS)
        return {"scores": [round(score, 4) for score in scores]}
    generator = plan_generator(plan)
    if generator is None:
        return {"note": sentence("No model is wanted: summaries are taken from the notes word for word.")}
    messages = [Message("user", f"{_PROBES[0]} {_QUESTION} Answer in five words.")]
    return {"text": generator.generate(messages, max_tokens=40, timeout=TEST_SECONDS)[:200]}


def _since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


def _look_again(role: Role) -> None:
    if role == "embed":
        Agent.objects.update(update_requested_at=timezone.now())
