"""ModelStatus: what the models process says of itself, or what its client says when nobody answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

ModelStateName = Literal["down", "building", "loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """`down` nobody answers, `building` the runtime is not installed yet, `loading` the model is being prepared,
    `ready` it embeds, `failed` it cannot and tries again; `detail` and `hint` say more in words for the owner.

    `model`, `dims` and `fingerprint` are known in every state but `down`. `embedded` (texts) and `tokens` count
    since the process started.
    """

    state: ModelStateName
    detail: str = ""
    hint: str = ""
    model: str = ""
    dims: int = 0
    fingerprint: str = ""
    rss_bytes: int = 0
    embedded: int = 0
    tokens: int = 0
    uptime_seconds: float = 0.0
    pid: int = 0
    models: list[dict[str, Any]] = field(default_factory=list)
    """Every model that was asked for: `model`, `role`, `state`, `memory_bytes`, `idle_seconds`, `detail`."""
