"""/metrics: who may see it, and that what happened is in it, without a name."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from agents.memory.reads import SearchParams, search
from agents.memory.recall import RecallParams, recall
from agents.models import Agent
from agents.registry.agents import create_agent
from memory_appliance.metrics.instruments import Instruments
from tests import cast

ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}


def shown(client: Client) -> str:
    response = client.get("/metrics")
    assert response.status_code == 200
    return response.content.decode()


def test_a_search_is_counted_with_its_stages_and_what_was_missing(
    client: Client, al: Agent, counts: Instruments
) -> None:
    search(agent=al, caller=cast.TRUSTED, session=None, params=SearchParams("spare key"))
    text = shown(client)
    assert 'memory_searches_total{mode="hybrid",outcome="ok"} 1.0' in text
    assert 'memory_search_stage_seconds_count{stage="keyword"} 1.0' in text
    assert 'memory_degradations_total{code="no_query_vector"} 1.0' in text
    assert 'memory_search_seconds_bucket{le="30.0",mode="hybrid"} 1.0' in text


def test_a_denied_search_is_counted_as_one(client: Client, al: Agent, counts: Instruments) -> None:
    search(agent=al, caller=cast.GATEWAY, session=None, params=SearchParams("spare key", mode="search"))
    assert 'memory_searches_total{mode="search",outcome="denied"} 1.0' in shown(client)


def test_a_recall_is_counted_by_status_reason_and_lane(client: Client, al: Agent, counts: Instruments) -> None:
    recall(agent=al, caller=cast.TRUSTED, session=None, params=RecallParams("", mode="fast"))
    assert "memory_recalls_total{" in shown(client)
    assert 'reason="empty_message",status="skipped"} 1.0' in shown(client)


def test_no_agent_is_named(client: Client, owner: cast.Person, counts: Instruments) -> None:
    create_agent(actor=cast.OWNER, slug="very-secret-name")
    for path in ("status", "files", "nowhere"):
        client.get(f"/api/v1/agents/very-secret-name/{path}", **owner.headers)
    assert "memory_agents 1.0" in shown(client)
    assert "very-secret-name" not in shown(client)


def test_this_machine_may_see_it(client: Client, db: None) -> None:
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="::1").status_code == 200


def test_another_machine_needs_an_admin_key(client: Client, db: None) -> None:
    assert client.get("/metrics", **ELSEWHERE).status_code == 401
    admin, reader = (cast.person(right, rights=[right]) for right in ("admin", "read"))
    assert client.get("/metrics", **ELSEWHERE, **admin.headers).status_code == 200
    refused = client.get("/metrics", **ELSEWHERE, **reader.headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")


def test_an_admin_of_single_agents_does_not_see_the_whole(client: Client, al: Agent) -> None:
    key = cast.person("admin of al", agents=["al"], rights=["admin"])
    assert client.get("/metrics", **ELSEWHERE, **key.headers).status_code == 403


def test_a_signed_in_owner_may_see_it_and_nobody_else(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("guest"))
    assert client.get("/metrics", **ELSEWHERE).status_code == 401
    client.force_login(User.objects.create_superuser("boss"))
    assert client.get("/metrics", **ELSEWHERE).status_code == 200


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_FORWARDED_HOST"])
def test_a_proxy_of_this_machine_that_is_not_listed_makes_nobody_local(client: Client, db: None, header: str) -> None:
    assert client.get("/metrics", **{header: "203.0.113.9"}).status_code == 401


def test_without_its_database_it_says_which_part_is_missing(client: Client, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE agents_agent RENAME TO gone")
    text = shown(client)
    assert 'memory_part_ok{part="database"} 0.0' in text and "memory_agents " not in text
