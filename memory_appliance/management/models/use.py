"""`models use` and `models remove`: choose a model, a set or a provider, for the server or for one agent."""

from __future__ import annotations

from agents.core.actors import CLI
from agents.providers.choices import checked_choice, set_provider
from agents.providers.downloads import models_dir, remove_model
from agents.registry.agents import update_agent
from agents.registry.selectors import get_agent
from memory_appliance.management.memory.output import Output
from search.runtime.presets import BUNDLED, PRESETS, Role
from search.runtime.providers.choice import LOCAL, MODELS, NONE
from search.runtime.registry import model_set, ready_to_load, set_models


def use(output: Output, *, name: str, role: Role | None, agent: str | None) -> None:
    """`name` is a model, a set, or `provider` or `provider:model`."""
    choices = _choices(name, role)
    for each, choice in choices.items():
        if agent is not None:
            update_agent(actor=CLI, agent=get_agent(agent), settings={f"{each}_model": choice})
        else:
            set_provider(actor=CLI, role=each, model=choice)
        if not output.as_json:
            output.line(f"{each}: {choice} for {agent or 'the whole server'}")
    if output.as_json:
        output.answer(choices)
    elif "embed" in choices:
        output.line("Indexes are built anew beside the old ones; cached vectors are used again.")


def remove(output: Output, *, name: str, force: bool) -> None:
    gone = remove_model(actor=CLI, model=name, force=force)
    if output.as_json:
        output.answer({"removed": gone})
    else:
        output.line(f"Removed {', '.join(gone)}." if gone else f"There was no file of {name}.")


def _choices(name: str, role: Role | None) -> dict[Role, str]:
    """Role → choice. Raises `Invalid` and `ModelUnavailable` for what cannot be used."""
    entry = model_set(name)
    if entry is not None:
        return {each: _local(model, each) if model else NONE for each, model in set_models(entry).items()}
    wanted: Role = role or (PRESETS[name].role if name in PRESETS else "embed")
    if name.partition(":")[0] in MODELS[wanted]:
        return {wanted: checked_choice(wanted, name, field="model")}
    return {wanted: _local(name, wanted)}


def _local(model: str, role: Role) -> str:
    """The choice of a local model whose file is there."""
    if model == BUNDLED.id:
        return LOCAL
    ready_to_load(model, role, models_dir())
    return f"{LOCAL}:{model}"
