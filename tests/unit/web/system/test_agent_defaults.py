"""The defaults for all agents on their page, and how an agent's own page shows what it inherits."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.core.agent_settings import OF_ONE_AGENT, AgentSettings, read_settings
from agents.models import Agent, DefaultSettings
from tests.unit.web.system.test_pages import text_of

PAGE = "/system/defaults"


def stored() -> object:
    return DefaultSettings.objects.get().values


def test_every_setting_that_has_a_default_is_there(admin: Client, al: Agent) -> None:
    text = admin.get(PAGE).content.decode()
    assert {name for name in AgentSettings.model_fields if f'name="{name}"' in text} == (
        set(AgentSettings.model_fields) - OF_ONE_AGENT
    )


def test_a_default_is_set_followed_shown_and_taken_back(admin: Client, al: Agent) -> None:
    admin.post(PAGE, {"group": "search", "max_results": "9", "mode": ""})
    assert stored() == {"max_results": 9} and read_settings(Agent.objects.get()).max_results == 9
    page = text_of(admin.get("/agents/al/settings"))
    assert "Default: 9." in page and "Set in the defaults for all agents." in page
    admin.post(f"{PAGE}/reset", {"setting": "max_results"})
    admin.post(f"{PAGE}/reset", {"setting": "memory_enabled"})
    assert stored() == {}


@pytest.mark.parametrize(("name", "value"), [("max_results", "101"), ("memory_enabled", "false"), ("mode", "x")])
def test_what_is_refused_stays_in_its_field(admin: Client, al: Agent, name: str, value: str) -> None:
    page = admin.post(PAGE, {name: value, "snippet_chars": "99"})
    if name == "memory_enabled":  # has no field here, so the form says nothing of it
        assert page.status_code == 302 and stored() == {"snippet_chars": 99}
        return
    text = page.content.decode()
    assert page.status_code == 422 and 'value="99"' in text and 'class="errorlist"' in text


def test_what_few_need_is_folded_until_it_is_set_or_looked_for(admin: Client, al: Agent) -> None:
    folded = '<details class="advanced">'
    count = admin.get(PAGE).content.decode().count(folded)
    admin.post(PAGE, {"group": "ranking", "mmr": "false"})
    assert admin.get(PAGE).content.decode().count(folded) == count - 1
    assert folded not in admin.get(f"{PAGE}?q=mmr_lambda").content.decode()
