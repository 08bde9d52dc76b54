"""request_pull(), remove_model(), use_local_model(): the folder of models that all agents share."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction

from agents.core.actors import Actor
from agents.core.agent_settings import read_settings
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.jobs.runs import request_pull as request_pull_run
from agents.models import Agent, Run
from agents.providers.choices import set_provider
from agents.providers.plans import ROLES, RolePlan, server_plan
from search.errors import ModelUnavailable
from search.runtime.presets import BUNDLED, Role
from search.runtime.providers.choice import LOCAL
from search.runtime.registry import LocalModel, locate, locate_any, ready_to_load
from search.sentences import ended, sentence


def models_dir() -> Path:
    return Path(settings.MEMORY_LOCAL_DIR) / "models"


def request_pull(*, actor: Actor, model: str, reason: str = "request") -> Run:
    """Make (or join) the run that downloads a model; dispatching it is the door's part."""
    found = _known(model)
    if not found.preset.repo and found.preset is not BUNDLED:
        raise Invalid(
            sentence("A file of your own is not downloaded."),
            hint=sentence("Copy it to {path}.", path=found.path),
            field="model",
        )
    with transaction.atomic():
        run = request_pull_run(subject=model, reason=reason)
        record(actor=actor, action="model.pull", target=model, detail={"run": run.public_id})
    return run


def use_local_model(*, actor: Actor, role: Role, model: str) -> RolePlan:
    """The model does this role for the whole server. Raises `Invalid` when its file is not there yet."""
    try:
        if locate(model, role, models_dir()).preset is not BUNDLED:
            ready_to_load(model, role, models_dir())
    except ModelUnavailable as error:
        raise Invalid(ended(error.message), hint=error.hint, field="model") from error
    return set_provider(actor=actor, role=role, model=LOCAL if model == BUNDLED.id else f"{LOCAL}:{model}")


def remove_model(*, actor: Actor, model: str, force: bool = False) -> list[str]:
    """Delete a model's file with what lies beside it. Raises `Conflict` while a role uses it, unless forced."""
    found = _known(model)
    if found.path.parent != models_dir():
        raise Invalid(
            sentence("A file outside the models folder is yours to delete."), hint=str(found.path), field="model"
        )
    users = models_in_use().get(model, [])
    if users and not force:
        raise Conflict(
            sentence("{model} is in use: {users}.", model=model, users=", ".join(users)),
            hint=sentence("Choose another model there first."),
        )
    gone = []
    for path in (found.path, *(found.path.with_name(found.path.name + end) for end in (".ok", ".part", ".part.lock"))):
        if path.is_file():
            path.unlink()
            gone.append(path.name)
    if found.path.name in gone:
        record(actor=actor, action="model.remove", target=model)
    return gone


def models_in_use() -> dict[str, list[str]]:
    """Model → the server's roles and the agents that would miss it."""
    users: dict[str, list[str]] = {}
    for role in ROLES:
        plan = server_plan(role)
        for choice in (plan.first, plan.second):
            _note(users, str(choice), f"server ({role})")
    for agent in Agent.objects.only("slug", "settings", "defaults"):
        own = read_settings(agent)
        for role in ROLES:
            for rank in ("model", "fallback"):
                _note(users, getattr(own, f"{role}_{rank}"), f"agent {agent.slug} ({role})")
    return users


def _note(users: dict[str, list[str]], choice: str | None, user: str) -> None:
    if choice == LOCAL and user.endswith("(embed)"):
        users.setdefault(BUNDLED.id, []).append(user)
    elif choice is not None and choice.startswith(f"{LOCAL}:"):
        users.setdefault(choice.removeprefix(f"{LOCAL}:"), []).append(user)


def _known(model: str) -> LocalModel:
    try:
        return locate_any(model, models_dir())
    except ModelUnavailable as error:
        raise Invalid(ended(error.message), hint=error.hint, field="model") from error
