"""/agents: list, create, show, change and delete agents."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from agents.access.secrets import visible_agents
from agents.registry import agents as agent_services
from agents.registry import selectors
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, key_of, require_fleet_key
from memory_appliance.api.schemas.agents import AgentAnswer, AgentChange, AgentList, NewAgent, agent_answer
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError

router = Router(tags=["agents"], auth=ADMIN)


@router.get("", response=AgentList, operation_id="list_agents")
def list_agents(request: HttpRequest) -> AgentList:
    """The agents that the key is for, by slug."""
    agents = selectors.list_agents(visible_agents(key_of(request)))
    return AgentList(items=[agent_answer(agent) for agent in agents])


@router.post("", response={201: AgentAnswer}, operation_id="create_agent")
def create_agent(request: HttpRequest, payload: NewAgent) -> Status[AgentAnswer]:
    """A new agent with its workspace folder, its `memory` collection and the default scope rules."""
    require_fleet_key(request)
    return Status(201, agent_answer(agent_services.create_agent(actor=actor_of(request), **payload.model_dump())))


@router.get("/{slug}", response=AgentAnswer, operation_id="get_agent")
def get_agent(request: HttpRequest, slug: str) -> AgentAnswer:
    return agent_answer(agent_of(request, slug))


@router.patch("/{slug}", response=AgentAnswer, operation_id="change_agent")
def change_agent(request: HttpRequest, slug: str, payload: AgentChange) -> AgentAnswer:
    """Change what is given. Another workspace needs a key for all agents: it could be another agent's folder."""
    agent = agent_of(request, slug)
    if payload.workspace is not None:
        require_fleet_key(request)
    changes = payload.model_dump(exclude_none=True)
    return agent_answer(agent_services.update_agent(actor=actor_of(request), agent=agent, **changes))


@router.delete("/{slug}", response={204: None}, operation_id="delete_agent")
def delete_agent(request: HttpRequest, slug: str, files: bool = False) -> Status[None]:
    """Remove the record and the index. The Markdown always stays: `files=true` is refused."""
    agent = agent_of(request, slug)
    if files:
        raise ApiError(
            ErrorCode.INVALID_VALUE,
            "The server never deletes an agent's Markdown.",
            hint=f"Delete the agent without `files`, then remove {agent.workspace} yourself.",
            field="files",
        )
    agent_services.delete_agent(actor=actor_of(request), agent=agent)
    return Status(204, None)
