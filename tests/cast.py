"""The cast: the owner (admin key), the helper (a key bound to one agent), the stranger; and agents with files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.access.keys import create_key
from agents.core.actors import Actor, Caller
from agents.indexes.specs import index_spec
from agents.models import Agent, ApiKey
from agents.registry.agents import create_agent
from search.index.report import UpdateReport
from search.index.update import update_index

OWNER = Actor("user:owner")
TRUSTED = Caller(OWNER, trusted=True)
GATEWAY = Caller(Actor("key:1 gateway"), trusted=False)


@dataclass(frozen=True, slots=True)
class Person:
    """A holder of a key. `headers` go to Django's test client: `client.get(url, **person.headers)`."""

    key: ApiKey
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        return {"HTTP_AUTHORIZATION": f"Bearer {self.secret}"}


def person(name: str, *, agents: Any = "*", rights: list[Any], trusted: bool = False) -> Person:
    made = create_key(actor=OWNER, name=name, agents=agents, rights=rights, trusted=trusted)
    return Person(made.row, made.secret)


def agent_with(slug: str, files: Mapping[str, str], **values: Any) -> Agent:
    """An agent whose workspace holds `files` (workspace-relative name → text). Not indexed yet."""
    agent = create_agent(actor=OWNER, slug=slug, **values)
    write_files(agent, files)
    return agent


def write_files(agent: Agent, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = Path(agent.workspace) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def index(agent: Agent) -> UpdateReport:
    """Index the agent's files here and now, by words alone."""
    return update_index(
        index_spec(agent), identity=None, progress=lambda _: None, cancelled=lambda: False, lock_timeout=5
    )
