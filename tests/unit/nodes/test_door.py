"""The first door: what is handed on, what is refused, and to whom a refusal is said at all."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.utils import timezone

from agents.models import Agent, Node
from agents.nodes.signature import HEADER, Hop, sign
from memory_appliance.admission import ARRIVED
from memory_appliance.nodes.door import NodeDoor
from memory_appliance.nodes.forward import AWAY, PLAN
from tests.cast import person

AWAY_NOW = {AWAY: "b"}


def test_a_request_for_another_node_gets_a_plan(there: Agent) -> None:
    Node.objects.filter(name="b").update(url="http://b.lan:8765")
    request = RequestFactory().post(
        "/api/v1/agents/bo/search", b'{"query": "x", "deadline_ms": 700}', "application/json"
    )
    NodeDoor(lambda _: pytest.fail("it is not answered here"))(request)
    plan = request.META[PLAN]
    assert (plan.node, plan.url, plan.patience, plan.body[:9]) == ("b", "http://b.lan:8765", 2.7, b'{"query":')


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"deadline_ms": "x"}', b'{"deadline_ms": 1e9}', b"\xff"])
def test_a_deadline_that_is_none_is_the_agents(there: Agent, body: bytes) -> None:
    request = RequestFactory().post("/api/v1/agents/bo/search", body, "application/json")
    NodeDoor(lambda _: pytest.fail("it is not answered here"))(request)
    assert request.META[PLAN].patience == 32


def test_a_host_name_that_is_not_ours_is_refused_here(there: Agent) -> None:
    owner = person("owner", rights=["admin"])
    assert Client().get("/api/v1/agents/bo", HTTP_HOST="evil.example", **owner.headers).status_code == 400


def test_a_lost_node_is_told_to_whom_may_know_of_the_agent(here: Agent, there: Agent) -> None:
    owner, stranger = person("owner", rights=["admin"]), person("stranger", agents=["al"], rights=["admin"])
    lost = Client().get("/api/v1/agents/bo", **AWAY_NOW, **owner.headers)
    assert (lost.status_code, lost.json()["error"]["code"], lost["Retry-After"]) == (503, "node_lost", "2")
    assert Client().get("/api/v1/agents/bo", **AWAY_NOW, **stranger.headers).status_code == 404
    assert Client().get("/api/v1/agents/bo", **AWAY_NOW).status_code == 401
    assert Client().get("/agents/bo/history", **AWAY_NOW).status_code == 302


def test_a_person_sees_a_page_that_says_so(there: Agent, admin_client: Client) -> None:
    page = admin_client.get("/agents/bo/history", **AWAY_NOW)
    assert page.status_code == 503 and page["Retry-After"] == "2"
    assert "The node b, which has bo, does not answer." in page.content.decode()


def test_an_agent_on_the_move_reads_only(here: Agent) -> None:
    Agent.objects.update(frozen_at=timezone.now())
    owner = person("owner", rights=["admin"])
    refused = Client().patch("/api/v1/agents/al", b'{"name": "x"}', "application/json", **owner.headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "agent_moving")
    body = b'{"query": "boiler"}'
    assert Client().post("/api/v1/agents/al/search", body, "application/json", **owner.headers).status_code == 200


def test_an_agent_of_no_node_is_nobodys(there: Agent) -> None:
    Agent.objects.update(node=None)
    owner = person("owner", rights=["admin"])
    assert Client().get("/api/v1/agents/bo", **owner.headers).json()["error"]["code"] == "node_lost"


def test_what_was_handed_on_looks_as_if_it_had_come_here(here: Agent) -> None:
    hop = Hop("b", "a", peer="10.1.2.3", scheme="https", waited_ms=1500)
    headers: dict[str, Any] = {"HTTP_X_MEMORY_NODE": sign(hop, "GET", "/api/v1/agents/al"), "HTTP_HOST": "memory.lan"}
    request = RequestFactory().get("/api/v1/agents/al", **headers, **{ARRIVED: 100.0})
    NodeDoor(lambda seen: seen)(request)  # type: ignore[arg-type, return-value] # the request itself is looked at
    assert (request.META["REMOTE_ADDR"], request.scheme, request.get_host()) == ("10.1.2.3", "https", "memory.lan")
    assert request.META[ARRIVED] == 98.5


def test_a_forged_header_is_refused(here: Agent) -> None:
    owner = person("owner", rights=["admin"])
    forged = Client().get("/api/v1/agents/al", headers={HEADER: "sender=b&to=a&mac=0"}, **owner.headers)
    assert forged.status_code == 403 and "MEMORY_NODE_SECRET" in forged.json()["error"]["hint"]


def test_without_the_control_database_the_answer_is_in_words(there: Agent) -> None:
    owner = person("owner", rights=["admin"])

    def away(*_: Any) -> None:
        raise OperationalError("the server closed the connection")

    with connection.execute_wrapper(away):
        answer = Client().get("/api/v1/agents/bo", **owner.headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "temporarily_unavailable")
