"""HTTP requests are counted by the template of their address, whatever strangers send."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.models import Agent
from memory_appliance.metrics.instruments import Instruments
from memory_appliance.metrics.shared import totals_of
from tests import cast


def requests_in(counts: Instruments) -> dict[tuple[str, str, str], float]:
    return {
        tuple(value for _, value in labels): number  # type: ignore[misc]
        for (name, labels), number in totals_of(counts.registry).items()
        if name == "memory_http_requests_total"
    }


def test_a_request_is_counted_by_its_template(
    client: Client, al: Agent, owner: cast.Person, counts: Instruments
) -> None:
    client.get("/api/v1/agents/al/status", **owner.headers)
    client.get("/api/v1/agents/another/status", **owner.headers)
    route = "api/v1/agents/<slug>/status"
    assert requests_in(counts) == {("GET", route, "200"): 1, ("GET", route, "404"): 1}


def test_addresses_and_methods_of_strangers_make_no_series(client: Client, counts: Instruments) -> None:
    for number in range(20):
        client.get(f"/no/such/place/{number}")
        client.generic(f"ODD{number}", "/health/live")
    assert set(requests_in(counts)) == {("GET", "(none)", "404"), ("other", "health/live", "405")}


def test_a_slow_request_leaves_a_line_without_its_address(
    client: Client, counts: Instruments, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_appliance.metrics.requests.SLOW_SECONDS", 0.0)
    client.get("/health/live?token=secret")
    line = next(record for record in caplog.records if record.name == "memory_appliance.metrics.requests")
    assert (line.levelname, vars(line)["route"], vars(line)["status"]) == ("INFO", "health/live", 200)
    assert "secret" not in str(vars(line))
