"""A key for one agent and every call of the API: a new call that is not covered here fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Agent, ApiKey, Run
from agents.registry.agents import request_update
from memory_appliance.api.api import api
from tests import cast
from tests.unit.api.conftest import Api

BODIES: dict[str, Any] = {
    "get_learned": None,
    "decide_learned": {"ids": [1], "decision": "keep"},
    "search": {"query": "spare key"},
    "get": {"path": "MEMORY.md"},
    "recall": {"message": "where is the spare key"},
    "list_recall_events": None,
    "toggle_recall": {"enabled": False},
    "recall_ready": None,
    "multi_get": {"glob": "*.md"},
    "get_context": {},
    "store_messages": {"messages": [{"role": "user", "text": "hello"}]},
    "list_messages": None,
    "store_jsonl": None,
    "reset_session": {"reason": "new"},
    "flush": {"messages": []},
    "consolidate": {"dry_run": True},
    "write_note": {"text": "The gate code is 4411."},
    "read_file": None,
    "save_file": {"path": "MEMORY.md", "text": "", "expected_hash": ""},
    "list_versions": None,
    "import_memory": {"tool": "codex", "path": "/tmp"},
    "export": None,
    "forget": {"path": "MEMORY.md", "dry_run": True},
    "restore_file": {"path": "MEMORY.md", "version": "0" * 64},
    "get_status": None,
    "list_files": None,
    "update_index": None,
    "rebuild_index": None,
    "get_agent": None,
    "change_agent": {"name": "mine"},
    "delete_agent": None,
    "list_collections": None,
    "create_collection": {"name": "notes", "path": "notes"},
    "change_collection": {"context": "mine"},
    "delete_collection": None,
    "get_scope": None,
    "set_scope": {"default": "allow", "rules": [], "confirm_open": True},
    "check_scope": {},
    "get_settings": None,
    "set_settings": {"max_results": 1},
}
"""Calls about one agent, each with a body that is fine."""


def _operations() -> dict[str, tuple[str, str]]:
    """Operation id → method and path, from the API's own description."""
    return {
        call["operationId"]: (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method, call in methods.items()
    }


def _mine_only(slugs: list[str]) -> bool:
    return set(slugs) == {"al-2"}


def _lists_own_agents(neighbour: Api, al: Agent) -> bool:
    return _mine_only([item["slug"] for item in neighbour.get("/agents").json()["items"]])


def _makes_no_agent(neighbour: Api, al: Agent) -> bool:
    return neighbour.post("/agents", {"slug": "al-3"}).status_code == 403


def _lists_own_runs(neighbour: Api, al: Agent) -> bool:
    neighbour.post("/agents/al-2/update")
    everything = [item["agent"] for item in neighbour.get("/runs").json()["items"]]
    return _mine_only(everything) and neighbour.get("/runs?agent=al").json()["items"] == []


def _sees_no_foreign_run(neighbour: Api, al: Agent) -> bool:
    return neighbour.get(f"/runs/{Run.objects.get(agent=al).pk}").status_code == 404


def _cancels_no_foreign_run(neighbour: Api, al: Agent) -> bool:
    return neighbour.post(f"/runs/{Run.objects.get(agent=al).pk}/cancel").status_code == 404


def _lists_own_keys(neighbour: Api, al: Agent) -> bool:
    return [item["agents"] for item in neighbour.get("/keys").json()["items"]] == [["al-2"]]


def _sees_own_key(neighbour: Api, al: Agent) -> bool:
    answer = neighbour.get("/keys/self").json()
    return answer["agent"] == "al-2" and _mine_only(answer["agents"])


def _makes_no_foreign_key(neighbour: Api, al: Agent) -> bool:
    return neighbour.post("/keys", {"name": "k", "agents": ["al"], "rights": ["read"]}).status_code == 403


def _deletes_no_foreign_key(neighbour: Api, al: Agent) -> bool:
    return neighbour.delete(f"/keys/{ApiKey.objects.get(agents=['al']).pk}").status_code == 404


def _rotates_no_foreign_key(neighbour: Api, al: Agent) -> bool:
    return neighbour.post(f"/keys/{ApiKey.objects.get(agents=['al']).pk}/rotate").status_code == 404


def _reads_own_audit(neighbour: Api, al: Agent) -> bool:
    everything = [item["agent"] for item in neighbour.get("/audit").json()["items"]]
    return _mine_only(everything) and neighbour.get("/audit?agent=al").json()["items"] == []


def _exports_own_audit(neighbour: Api, al: Agent) -> bool:
    lines = b"".join(neighbour.get("/audit/export").streaming_content).splitlines()  # type: ignore[attr-defined]
    return _mine_only([json.loads(line)["agent"] for line in lines])


def _sees_no_people(neighbour: Api, al: Agent) -> bool:
    return neighbour.get("/users").status_code == 403


def _adds_no_people(neighbour: Api, al: Agent) -> bool:
    return neighbour.post("/users", {"name": "eve", "roles": {"al": "view"}}).status_code == 403


def _changes_no_people(neighbour: Api, al: Agent) -> bool:
    return neighbour.patch("/users/1", {"owner": True}).status_code == 403


def _deletes_no_people(neighbour: Api, al: Agent) -> bool:
    return neighbour.delete("/users/1").status_code == 403


def _sees_no_defaults(neighbour: Api, al: Agent) -> bool:
    return neighbour.get("/settings").status_code == 403


def _sets_no_defaults(neighbour: Api, al: Agent) -> bool:
    return neighbour.put("/settings", {"mode": "search"}).status_code == 403


def _sees_no_providers(neighbour: Api, al: Agent) -> bool:
    return neighbour.get("/providers").status_code == 403


def _sets_no_provider(neighbour: Api, al: Agent) -> bool:
    return neighbour.put("/providers", {"embed": {"model": "none"}}).status_code == 403


def _tests_no_provider(neighbour: Api, al: Agent) -> bool:
    return neighbour.post("/providers/test", {"role": "embed", "agent": "al"}).status_code == 403


def _sees_no_models(neighbour: Api, al: Agent) -> bool:
    return neighbour.get("/models").status_code == 403


def _pulls_no_model(neighbour: Api, al: Agent) -> bool:
    return neighbour.post("/models/pull", {"model": "bge-m3-q8"}).status_code == 403


FLEET: dict[str, Callable[[Api, Agent], bool]] = {
    "list_agents": _lists_own_agents,
    "create_agent": _makes_no_agent,
    "list_runs": _lists_own_runs,
    "get_run": _sees_no_foreign_run,
    "cancel_run": _cancels_no_foreign_run,
    "list_keys": _lists_own_keys,
    "get_own_key": _sees_own_key,
    "create_key": _makes_no_foreign_key,
    "delete_key": _deletes_no_foreign_key,
    "rotate_key": _rotates_no_foreign_key,
    "list_audit": _reads_own_audit,
    "export_audit": _exports_own_audit,
    "list_users": _sees_no_people,
    "create_user": _adds_no_people,
    "change_user": _changes_no_people,
    "delete_user": _deletes_no_people,
    "get_default_settings": _sees_no_defaults,
    "set_default_settings": _sets_no_defaults,
    "get_providers": _sees_no_providers,
    "set_providers": _sets_no_provider,
    "test_provider": _tests_no_provider,
    "list_models": _sees_no_models,
    "pull_model": _pulls_no_model,
}
"""Calls about more than one agent, each with the proof that it stays with the key's own."""


def test_every_call_of_the_api_is_covered_here() -> None:
    about_one_agent = {name for name, (_, path) in _operations().items() if "{slug}" in path}
    assert about_one_agent == set(BODIES)
    assert set(_operations()) - about_one_agent == set(FLEET)


@pytest.mark.parametrize("name", BODIES)
def test_a_foreign_agent_is_as_absent_as_one_that_does_not_exist(as_neighbour: Api, al: Agent, name: str) -> None:
    method, path = _operations()[name]
    foreign, absent = (
        as_neighbour.call(method, path.format(slug=slug, name="memory", session_key="s"), BODIES[name])
        for slug in ("al", "no")
    )
    assert (foreign.status_code, absent.status_code) == (404, 404)
    assert foreign.content.replace(b" al.", b" no.") == absent.content


@pytest.mark.parametrize("name", FLEET)
def test_a_call_about_many_agents_stays_with_the_keys_own(as_neighbour: Api, al: Agent, name: str) -> None:
    request_update(actor=cast.OWNER, agent=al)
    cast.person("al's own", agents=["al"], rights=["read"])
    assert FLEET[name](as_neighbour, al)


def test_a_foreign_key_changes_nothing(as_neighbour: Api, al: Agent) -> None:
    before = Agent.objects.values().get(pk=al.pk)
    for name, (method, path) in _operations().items():
        if name in BODIES:
            as_neighbour.call(method, path.format(slug="al", name="memory", session_key="s"), BODIES[name])
    assert Agent.objects.values().get(pk=al.pk) == before
    assert not Run.objects.filter(agent=al).exists()


def test_without_a_key_every_call_is_401(as_nobody: Api, al: Agent) -> None:
    for method, path in _operations().values():
        address = path.format(slug="al", name="memory", session_key="s", key_id=1, run_id=1, user_id=1)
        assert as_nobody.call(method, address).status_code == 401, address


def test_two_agents_never_see_each_others_words(as_owner: Api, al: Agent, al_2: Agent) -> None:
    assert as_owner.post("/agents/al/search", {"query": "safe 7731"}).json()["results"] == []
    found = as_owner.post("/agents/al-2/search", {"query": "safe 7731"}).json()["results"]
    assert "7731" in found[0]["snippet"]
    assert as_owner.post("/agents/al/get", {"path": f"#{found[0]['docid'].lstrip('#')}"}).json()["text"] == ""
