"""Defaults for all agents: followed at once by agents without a value of their own, also by new and restored ones."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.agent_settings import AgentSettings, read_settings, settings_table
from agents.core.errors import Invalid
from agents.models import Agent, AuditEvent, DefaultSettings
from agents.providers.plans import agent_plan, recall_plan
from agents.registry.agents import create_agent, update_agent
from agents.registry.default_settings import set_default_settings
from tests.cast import OWNER

pytestmark = pytest.mark.django_db


def defaults(**settings: Any) -> None:
    set_default_settings(actor=OWNER, settings=settings)


def settings_of(agent: Agent) -> AgentSettings:
    return read_settings(Agent.objects.get(pk=agent.pk))


def test_agents_follow_unless_they_say_otherwise(al: Agent) -> None:
    bo = create_agent(actor=OWNER, slug="bo", settings={"max_results": 6})
    defaults(max_results=9, mode="search")
    assert (settings_of(al).max_results, settings_of(bo).max_results, settings_of(bo).mode) == (9, 6, "search")
    assert settings_of(create_agent(actor=OWNER, slug="cy")).max_results == 9
    defaults(max_results=None)
    assert (settings_of(al).max_results, settings_of(al).mode) == (6, "search")


def test_the_table_says_where_a_value_comes_from_and_what_null_returns_it_to(al: Agent) -> None:
    defaults(max_results=9, mode="search")
    al = update_agent(actor=OWNER, agent=al, settings={"mode": "vsearch"})
    rows = {row.name: (row.value, row.default, row.source) for row in settings_table(al.settings, al.defaults)}
    assert rows["mode"] == ("vsearch", "search", "agent")
    assert rows["max_results"] == (9, 9, "defaults")
    assert rows["min_score"] == (0.35, 0.35, "built-in")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory_enabled", False),
        ("share_vectors", True),
        ("embed_model", "none"),
        ("max_results", 0),
        ("max_resluts", 5),
    ],
)
def test_what_cannot_be_a_default_is_refused_by_name_and_changes_nothing(al: Agent, name: str, value: object) -> None:
    with pytest.raises(Invalid) as error:
        defaults(mode="search", **{name: value})
    assert error.value.field == f"settings.{name}" and settings_of(al).mode == "hybrid"
    assert not DefaultSettings.objects.exclude(values={}).exists()


def test_a_default_of_another_version_is_left_out(al: Agent) -> None:
    for stored in ({"gone": 1, "mode": "search"}, {"max_results": "many", "mode": "search"}):
        Agent.objects.update(defaults=stored)
        assert settings_of(al).mode == "search" and settings_of(al).max_results == 6
    Agent.objects.update(defaults=[])
    assert settings_of(al).mode == "hybrid"


def test_what_depends_on_a_default_is_brought_up_to_date(al: Agent) -> None:
    Agent.objects.update(update_requested_at=None, disk_bytes=5)
    defaults(mode="search")
    assert Agent.objects.get().update_requested_at is None
    defaults(late_interaction=False, disk_quota_mb=10)
    assert Agent.objects.get().update_requested_at is not None and Agent.objects.get().disk_bytes is None


def test_the_audit_keeps_what_was_set_but_no_prompt(al: Agent) -> None:
    defaults(mode="search", recall_prompt_append="Never mention the surprise party.")
    detail = AuditEvent.objects.get(action="settings.defaults").detail
    assert detail == {"settings": {"mode": "search", "recall_prompt_append": "(text)"}}


def test_recall_may_have_a_writer_of_its_own(al: Agent) -> None:
    assert recall_plan(al) == agent_plan("generate", al)
    al = update_agent(actor=OWNER, agent=al, settings={"generate_model": "ollama:big", "recall_model": "ollama:small"})
    assert (str(agent_plan("generate", al).first), str(recall_plan(al).first)) == ("ollama:big", "ollama:small")
    defaults(recall_model="openai")
    al = update_agent(actor=OWNER, agent=al, settings={"recall_model": None})
    assert str(recall_plan(Agent.objects.get(pk=al.pk)).first) == "openai:gpt-4.1-mini"
