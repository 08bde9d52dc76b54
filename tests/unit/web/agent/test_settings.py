"""Settings on a page: an empty field is the default; what is wrong stands beside its field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.core.agent_settings import AgentSettings
from agents.models import Agent
from memory_appliance.web.setting_groups import GROUPS
from tests.unit.web.agent.conftest import Member

PAGE = "/agents/al/settings"


def own(agent: Agent) -> dict[str, Any]:
    return dict(Agent.objects.get(pk=agent.pk).settings)


def test_every_setting_stands_in_one_group_with_a_title() -> None:
    names = [name for group in GROUPS for name in group.titles]
    assert sorted(names) == sorted(AgentSettings.model_fields) and len(set(names)) == len(names)


def test_every_setting_is_shown_with_its_help_and_default(admin: Client, al: Agent) -> None:
    text = admin.get(PAGE).content.decode()
    assert all(f'name="{name}"' in text for name in AgentSettings.model_fields)
    assert "Default: 0.35." in text and "default (hybrid)" in text and "In effect: 300." in text


@pytest.mark.parametrize(
    ("form", "stored"),
    [
        ({"max_results": "12", "mode": "search"}, {"max_results": 12, "mode": "search"}),
        ({"max_results": "", "mode": ""}, {}),
        ({"vector_weight": "0.25", "importance": "false"}, {"vector_weight": 0.25, "importance": False}),
        ({"recall_chat_types": ["", "group"]}, {"recall_chat_types": ["group"]}),
        ({"recall_chat_types": [""]}, {"recall_chat_types": []}),
        ({"recall_denied_chat_ids": "42\r\n\r\n -100 \r\n"}, {"recall_denied_chat_ids": ["42", "-100"]}),
        ({"recall_prompt_append": " Be brief. "}, {"recall_prompt_append": "Be brief."}),
        ({"no_such_setting": "1", "max_results": "6"}, {"max_results": 6}),
        ({"recall_chat_types": ["", "direct", "explicit"]}, {}),
    ],
)
def test_a_form_of_one_group_changes_what_it_names(
    admin: Client, al: Agent, form: dict[str, Any], stored: dict[str, Any]
) -> None:
    assert admin.post(PAGE, form | {"group": "search"})["Location"] == f"{PAGE}?group=search#group-search"
    assert own(al) == stored


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"max_results": "101"}, "Enter a number from 1 to 100."),
        ({"max_results": "many"}, "Enter a number from 1 to 100."),
        ({"min_score": "nan"}, "Enter a number from 0"),
        ({"mode": "<b>"}, "mode"),
        ({"embed_model": "nobody:knows"}, "nobody"),
        ({"recall_chat_types": ["", "everybody"]}, "Choose from direct, group"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_what_was_typed_stays(
    admin: Client, al: Agent, form: dict[str, Any], said: str
) -> None:
    page = admin.post(PAGE, form | {"snippet_chars": "99"})
    text = page.content.decode()
    assert page.status_code == 422 and said in text and 'class="errorlist"' in text
    assert 'value="99"' in text and "<b>" not in text and own(al) == {}


def test_one_setting_goes_back_to_its_default(admin: Client, al: Agent) -> None:
    admin.post(PAGE, {"max_results": "12", "mode": "search"})
    admin.post(f"{PAGE}/reset", {"setting": "mode"})
    admin.post(f"{PAGE}/reset", {"setting": "no_such_setting"})
    assert own(al) == {"max_results": 12}


def test_a_setting_is_found_by_name_title_or_help(admin: Client, al: Agent) -> None:
    page = admin.get(PAGE, {"q": "half-life"})
    assert [field.name for part in page.context["groups"] for field in part.fields] == ["half_life_days"]
    assert "No setting found" in admin.get(PAGE, {"q": "<zebra>"}).content.decode()


def test_name_and_time_zone_are_changed(member: Member, al: Agent) -> None:
    before = al.workspace
    form = {"name": "Home", "timezone": "Europe/Berlin", "workspace": "/etc"}
    assert member("admin").post("/agents/al/about", form)["Location"] == PAGE
    al.refresh_from_db()
    assert (al.name, al.timezone, al.workspace) == ("Home", "Europe/Berlin", before)


def test_only_an_owner_moves_the_folder_and_only_below_allowed_roots(admin: Client, al: Agent, data_dir: Path) -> None:
    form = {"name": "", "timezone": "UTC", "workspace": "/etc"}
    page = admin.post("/agents/al/about", form)
    assert page.status_code == 422 and "outside the allowed roots" in page.content.decode()
    admin.post("/agents/al/about", form | {"workspace": str(data_dir / "workspaces" / "other")})
    al.refresh_from_db()
    assert al.workspace.endswith("/workspaces/other")


def test_a_wrong_time_zone_stands_beside_its_field(admin: Client, al: Agent) -> None:
    page = admin.post("/agents/al/about", {"name": "Home", "timezone": "Mars/Base", "workspace": ""})
    assert page.status_code == 422 and 'id="about-zone-error"' in page.content.decode()


def test_deleting_asks_first_and_keeps_the_files(admin: Client, al: Agent) -> None:
    assert f"stays in {al.workspace}" in admin.get("/agents/al/delete").content.decode()
    admin.post("/agents/al/delete")
    assert Agent.objects.filter(slug="al").exists()
    admin.post("/agents/al/delete", {"confirmed": "yes"})
    assert not Agent.objects.filter(slug="al").exists() and (Path(al.workspace) / "MEMORY.md").exists()


def test_switching_off_asks_first_and_on_does_not(admin: Client, al: Agent) -> None:
    assert "No file is deleted or changed" in admin.get("/agents/al/switch").content.decode()
    admin.post("/agents/al/switch")
    assert own(al) == {}
    admin.post("/agents/al/switch", {"confirmed": "yes"})
    assert own(al) == {"memory_enabled": False} and "Turn memory on" in admin.get(PAGE).content.decode()
    admin.post("/agents/al/switch")
    assert own(al) == {}


@pytest.mark.parametrize("address", ["settings", "settings/reset", "about", "delete", "switch"])
def test_settings_are_for_those_who_administer_the_agent(member: Member, al: Agent, address: str) -> None:
    form = {"max_results": "12", "confirmed": "yes", "name": "X", "timezone": "UTC", "setting": "mode"}
    assert member("edit").post(f"/agents/al/{address}", form).status_code == 403
    al.refresh_from_db()
    assert (al.name, al.settings) == ("", {})
