"""Agents as the API takes and shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from agents.core.agent_settings import read_settings
from agents.core.moments import moment_of
from agents.models import Agent
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.settings import Settings


class NewAgent(Body):
    slug: str = Field(description="1 to 63 lower-case letters, digits and inner hyphens.", examples=["home"])
    name: str = ""
    workspace: str | None = Field(None, description="Absolute folder; default `workspaces/<slug>` in the data folder.")
    timezone: str = Field("UTC", examples=["Europe/Berlin"])
    settings: Settings = Field(default_factory=dict, description="Only what differs from the defaults.")


class AgentChange(Body):
    """What is left out stays as it is, an empty name takes it away; a setting that is null returns to its default."""

    emptied = frozenset({"name"})

    name: str | None = None
    workspace: str | None = None
    timezone: str | None = None
    settings: Settings | None = None


class AgentAnswer(Answer):
    slug: str
    name: str
    workspace: str
    timezone: str
    settings: dict[str, Any]
    last_update: datetime | None
    last_error: str | None
    created_at: datetime
    modified_at: datetime


class AgentList(Answer):
    items: list[AgentAnswer]


def agent_answer(agent: Agent) -> AgentAnswer:
    return AgentAnswer(
        slug=agent.slug,
        name=agent.name,
        workspace=agent.workspace,
        timezone=agent.timezone,
        settings=read_settings(agent).model_dump(mode="json"),
        last_update=agent.last_update_at,
        last_error=agent.last_error or None,
        created_at=agent.created_at or moment_of(0),  # a row of no service's may have none
        modified_at=agent.modified_at or moment_of(0),
    )
