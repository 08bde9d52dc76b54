"""Django's admin over the control plane."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent, ApiKey, AuditEvent, Collection, Run
from agents.registry.agents import request_update, update_agent
from tests import cast

NEW = {"slug": "home", "name": "", "workspace": "", "timezone": "UTC", "settings": "{}"}


@pytest.mark.parametrize("model", ["agent", "collection", "apikey", "run", "auditevent", "workerheartbeat"])
def test_every_table_can_be_looked_at(admin: Client, al: Agent, owner: cast.Person, model: str) -> None:
    request_update(actor=cast.OWNER, agent=al)
    assert admin.get(f"/admin/agents/{model}/").status_code == 200


def test_an_agent_made_here_is_a_whole_one(admin: Client, data_dir: Path) -> None:
    assert admin.post("/admin/agents/agent/add/", NEW).status_code == 302
    agent = Agent.objects.get(slug="home")
    assert (Path(agent.workspace) / "memory").is_dir()
    assert agent.collections.count() == 1 and agent.scope_rules.count() == 1
    assert AuditEvent.objects.filter(action="agent.create", actor="user:owner").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slug": "../x"}, "Enter a valid value"),
        ({"workspace": "/etc"}, "outside the allowed roots"),
        ({"settings": '{"colour": 1}'}, "no setting named colour"),
        ({"settings": "[1]"}, "JSON object"),
        ({"timezone": "Mars"}, "no time zone"),
    ],
)
def test_a_bad_value_is_told_in_words(admin: Client, data_dir: Path, change: dict[str, str], words: str) -> None:
    page = admin.post("/admin/agents/agent/add/", NEW | change, follow=True)
    assert words in page.content.decode()
    assert not Agent.objects.exists()


def test_a_setting_taken_out_of_the_json_goes_back_to_its_default(admin: Client, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"max_results": 9})
    form = {"name": "Al", "workspace": al.workspace, "timezone": "UTC", "settings": '{"mmr": false}'}
    form |= {"scope_rules-TOTAL_FORMS": "0", "scope_rules-INITIAL_FORMS": "0"}
    assert admin.post(f"/admin/agents/agent/{al.pk}/change/", form).status_code == 302
    al.refresh_from_db()
    assert (al.name, al.settings) == ("Al", {"mmr": False})


def test_deleting_an_agent_with_history_keeps_its_markdown(admin: Client, al: Agent) -> None:
    request_update(actor=cast.OWNER, agent=al)
    assert admin.post(f"/admin/agents/agent/{al.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Agent.objects.exists()
    assert (Path(al.workspace) / "MEMORY.md").is_file()


def test_a_collection_is_added_and_refused_by_the_same_rules(admin: Client, al: Agent) -> None:
    form = {"agent": al.pk, "name": "notes", "path": "notes", "pattern": "**/*.md", "ignore": "", "kind": "custom"}
    assert admin.post("/admin/agents/collection/add/", form).status_code == 302
    assert Collection.objects.get(name="notes").path == f"{al.workspace}/notes"
    page = admin.post("/admin/agents/collection/add/", form | {"name": "etc", "path": "/etc"}, follow=True)
    assert "outside the allowed roots" in page.content.decode()
    assert not Collection.objects.filter(name="etc").exists()


def test_no_secret_is_shown(admin: Client, owner: cast.Person) -> None:
    page = admin.get(f"/admin/agents/apikey/{owner.key.pk}/change/").content.decode()
    assert "owner" in page
    assert owner.key.digest not in page and owner.key.lookup not in page
    assert admin.get("/admin/agents/apikey/add/").status_code == 403


def test_a_key_is_revoked_and_a_run_cancelled_from_the_list(admin: Client, al: Agent, owner: cast.Person) -> None:
    run = request_update(actor=cast.OWNER, agent=al)
    admin.post("/admin/agents/apikey/", {"action": "revoke", "_selected_action": [owner.key.pk]})
    admin.post("/admin/agents/run/", {"action": "cancel", "_selected_action": [run.pk]})
    assert ApiKey.objects.get().revoked_at is not None
    assert Run.objects.get().state == "cancelled"


def test_someone_without_a_role_stays_outside(guest: Client, al: Agent) -> None:
    assert guest.get("/admin/agents/agent/").status_code == 302
