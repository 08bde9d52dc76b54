"""Limits per key and per address: 429 with the seconds to wait, and nothing of it for anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, AuditEvent
from memory_appliance.admission import throttles
from memory_appliance.admission.throttles import KEY_REQUESTS, TooMany, take
from tests import cast
from tests.unit.api.conftest import Api, error_of


@pytest.fixture(autouse=True)
def fresh_counters(still_minute: None) -> Iterator[None]:
    throttles._counters.cache_clear()
    yield
    throttles._counters.cache_clear()


def test_a_key_beyond_its_limit_waits_and_another_does_not(
    as_owner: Api, as_stranger: Api, al: Agent, settings: Any
) -> None:
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 2
    assert [as_owner.get("/agents").status_code for _ in range(3)] == [200, 200, 429]
    refused = as_owner.get("/agents")
    assert error_of(refused)["code"] == "too_many_requests"
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert as_stranger.get("/agents/al-2/status").status_code == 200


def test_an_address_that_guesses_learns_nothing_and_known_keys_go_on(
    client: Client, as_owner: Api, as_stranger: Api, settings: Any
) -> None:
    settings.MEMORY_FAILED_KEYS_PER_MINUTE = 3
    assert as_stranger.get("/agents/al-2/status").status_code == 200
    wrong = Api(client, {"HTTP_AUTHORIZATION": "Bearer maa_" + "x" * 32})
    assert [wrong.get("/agents").status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    assert as_owner.get("/agents").status_code == 429
    assert as_stranger.get("/agents/al-2/status").status_code == 200
    assert as_owner.call("GET", "/agents", REMOTE_ADDR="10.0.0.9").status_code == 200


def test_a_request_without_a_key_is_no_attempt(as_nobody: Api, as_owner: Api, settings: Any) -> None:
    settings.MEMORY_FAILED_KEYS_PER_MINUTE = 1
    assert [as_nobody.get("/agents").status_code for _ in range(3)] == [401, 401, 401]
    assert as_owner.get("/agents").status_code == 200


def test_an_address_has_a_limit_whatever_its_keys(as_owner: Api, as_stranger: Api, settings: Any) -> None:
    settings.MEMORY_REQUESTS_PER_MINUTE_ADDRESS = 1
    assert as_owner.get("/agents").status_code == 200
    assert as_stranger.get("/agents/al-2/status").status_code == 429


def test_zero_means_no_limit(settings: Any) -> None:
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 0
    for _ in range(50):
        take(KEY_REQUESTS, "1")


def test_without_a_broker_each_process_counts_for_itself(settings: Any, tmp_path: Any) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 2
    take(KEY_REQUESTS, "1")
    take(KEY_REQUESTS, "1")
    with pytest.raises(TooMany) as refused:
        take(KEY_REQUESTS, "1")
    assert 1 <= refused.value.retry_after <= 60
    take(KEY_REQUESTS, "2")


def test_a_broker_that_cannot_count_is_no_reason_to_fail(settings: Any) -> None:
    settings.CELERY_BROKER_URL = "amqp://somewhere"
    take(KEY_REQUESTS, "1")


def test_a_missing_right_is_noted_with_who_and_what(as_helper: Api) -> None:
    assert as_helper.get("/keys").status_code == 403
    event = AuditEvent.objects.get(action="key.denied")
    assert event.actor.endswith("helper") and event.address == "127.0.0.1"
    assert (event.target, event.detail) == ("/api/v1/keys", {"method": "GET", "needs": ["admin"]})


def test_a_wrong_key_leaves_no_secret_behind(client: Client, owner: cast.Person) -> None:
    Api(client, {"HTTP_AUTHORIZATION": "Bearer maa_wrongwrongwrong"}).get("/agents")
    assert "wrongwrong" not in str(list(AuditEvent.objects.values()))
