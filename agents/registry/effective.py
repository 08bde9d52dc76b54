"""in_effect(): what holds where an agent's own setting is left open: the profile's number, the server's option."""

from __future__ import annotations

from agents.core.agent_settings import read_settings
from agents.core.quota import quota_mb
from agents.jobs.runs import update_debounce, update_interval
from agents.models import Agent
from agents.providers.plans import ROLES, agent_plan
from search.profiles import resolve
from search.runtime.presets import BUNDLED
from search.runtime.providers.choice import LOCAL

_RANKING = (
    "vector_weight",
    "keyword_weight",
    "decay",
    "half_life_days",
    "importance",
    "mmr",
    "mmr_lambda",
    "candidates",
)


def in_effect(agent: Agent) -> dict[str, str | float | bool]:
    """Setting → value, for those whose default is to be decided elsewhere. A query per role."""
    plans = {role: agent_plan(role, agent) for role in ROLES}
    embedder = plans["embed"].first
    model = embedder.model or BUNDLED.id if embedder.provider == LOCAL else ""
    ranking = resolve(read_settings(agent).ranking(), model)
    values: dict[str, str | float | bool] = {name: getattr(ranking, name) for name in _RANKING}
    values["update_interval_seconds"] = update_interval(agent).total_seconds()
    values["disk_quota_mb"] = quota_mb(agent)
    values["update_debounce_seconds"] = update_debounce(agent).total_seconds()
    for role, plan in plans.items():
        values[f"{role}_model"], values[f"{role}_fallback"] = str(plan.first), str(plan.second)
    return values
