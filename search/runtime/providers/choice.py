"""ModelChoice: who does a role, as one word that an owner can write: `openai:text-embedding-3-small`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from search.runtime.presets import Role
from search.runtime.providers.table import PROVIDERS

LOCAL = "local"
NONE = "none"
LONGEST = 300

MODELS: Mapping[Role, Mapping[str, str]] = {
    role: {
        LOCAL: "",
        **{provider.name: provider.models[role] for provider in PROVIDERS if role in provider.models},
        NONE: "",
    }
    for role in get_args(Role)
}
"""Role → the providers it can have, with the model each uses when none is named; "" is the provider's own choice."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`model` is "" where the provider itself knows which one it runs."""

    provider: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider

    @property
    def is_remote(self) -> bool:
        return self.provider not in (LOCAL, NONE)


def parse_choice(role: Role, text: str) -> ModelChoice:
    """`provider` or `provider:model`. Raises ValueError, one line that names what may stand there."""
    provider, _, model = text.strip().partition(":")
    known = MODELS[role]
    if provider not in known:
        raise ValueError(f"{provider[:40]!r} is no provider for {role}; choose one of {', '.join(known)}")
    if len(text) > LONGEST or not model.isprintable():
        raise ValueError(f"a model's name has at most {LONGEST} printable characters")
    if provider == NONE and model:
        raise ValueError("none takes no model")
    return ModelChoice(provider, model.strip() or known[provider])
