"""sizes(): the curated files against the budget up to which a new chat gets all of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.context.budget import NEAR_LIMIT, Budgets
from agents.core.agent_settings import read_settings
from agents.indexes.specs import CURATED
from agents.models import Agent
from agents.workspace.reading import MAX_BYTES
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.lines import decode


@dataclass(frozen=True, slots=True)
class Size:
    """`chars` is None for a file that is missing or cannot be read."""

    path: str
    chars: int | None
    budget: int

    @property
    def left(self) -> int:
        """Characters that still fit; negative where some are left out of every new chat."""
        return self.budget - (self.chars or 0)

    @property
    def near(self) -> bool:
        return self.chars is not None and NEAR_LIMIT * self.budget <= self.chars <= self.budget


def sizes(agent: Agent) -> tuple[Size, ...]:
    budgets = Budgets.of(read_settings(agent))
    return tuple(Size(path, _chars(agent, path), budgets.of_file(path)) for path in CURATED)


def _chars(agent: Agent, path: str) -> int | None:
    try:
        return len(decode(read_inside(Path(agent.workspace), path, MAX_BYTES))[0])
    except (OSError, ValueError, PathNotAllowed, FileTooLarge):
        return None
