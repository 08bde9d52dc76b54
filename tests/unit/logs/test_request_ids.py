"""The id of a request: the caller's own when it is sane, else a new one; it goes back, and along with tasks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.test import Client

from workers import handing_on
from workers.request_id import request_id


def answered_with(client: Client, theirs: str) -> str:
    return client.get("/health/live", HTTP_X_REQUEST_ID=theirs).headers["X-Request-ID"]


@pytest.mark.parametrize("theirs", ["a", "gw-2026:11.30_7", "3f2b" * 32, "req/7+8=15"])
def test_a_sane_id_is_kept(client: Client, theirs: str) -> None:
    assert answered_with(client, theirs) == theirs


@pytest.mark.parametrize("theirs", ["", " ", "x" * 129, "a b", "a\tb", "né", "<b>", "-x", 'a"b', "a\x00", "${jndi:x}"])
def test_any_other_is_replaced(client: Client, theirs: str) -> None:
    made = answered_with(client, theirs)
    assert made != theirs and len(made) == 32


def test_every_answer_has_one_of_its_own(client: Client) -> None:
    answers = [client.get(path).headers["X-Request-ID"] for path in ("/health/live", "/no/such/place")]
    assert len(set(answers)) == 2
    assert request_id.get() == ""


def test_a_task_carries_the_id_and_leaves_none_behind() -> None:
    headers: dict[str, object] = {}
    token = request_id.set("gw-7")
    handing_on._hand_on(headers=headers)
    request_id.reset(token)
    handing_on._take_up(task=SimpleNamespace(request=headers))
    assert request_id.get() == "gw-7"
    handing_on._put_down()
    assert request_id.get() == ""


def test_a_task_of_the_clock_carries_none() -> None:
    headers: dict[str, object] = {}
    handing_on._hand_on(headers=headers)
    assert headers == {}


@pytest.mark.parametrize("forged", [None, 7, "a\nb", "x" * 500])
def test_what_a_message_claims_is_looked_at(forged: object) -> None:
    handing_on._take_up(task=SimpleNamespace(request={handing_on.HEADER: forged}))
    assert request_id.get() == ""
