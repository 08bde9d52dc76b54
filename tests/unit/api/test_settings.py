"""/agents/{slug}/settings."""

from __future__ import annotations

import pytest

from agents.core.agent_settings import AgentSettings
from agents.models import Agent
from tests.unit.api.conftest import Api, error_of


def test_the_table_explains_every_setting(as_owner: Api, al: Agent) -> None:
    items = as_owner.get("/agents/al/settings").json()["items"]
    assert [item["name"] for item in items] == list(AgentSettings.model_fields)
    assert all(item["help"] and item["value"] == item["default"] for item in items)


def test_a_setting_changes_alone_and_null_brings_the_default_back(as_owner: Api, al: Agent) -> None:
    assert as_owner.put("/agents/al/settings", {"max_results": 9}).json()["settings"]["max_results"] == 9
    assert as_owner.put("/agents/al/settings", {"mmr": False}).json()["settings"]["max_results"] == 9
    assert as_owner.put("/agents/al/settings", {"max_results": None}).json()["settings"]["max_results"] == 6


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"max_result": 9}, "settings.max_result", "unknown_setting"),
        ({"max_results": "many"}, "settings.max_results", "invalid_value"),
        ({"min_score": 2}, "settings.min_score", "invalid_value"),
        ({"mode": "magic"}, "settings.mode", "invalid_value"),
    ],
)
def test_a_bad_setting_is_refused_by_name(
    as_owner: Api, al: Agent, body: dict[str, object], field: str, code: str
) -> None:
    response = as_owner.put("/agents/al/settings", body)
    assert response.status_code == 422
    assert (error_of(response)["field"], error_of(response)["code"]) == (field, code)
