"""Every turn with its reason in words, found by any of its sides, page by page; one turn with its gates and steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.access.users import create_user
from agents.models import Agent, RecallEvent
from agents.registry.agents import update_agent
from memory_appliance.web.recall.words import CUES, GATES, REASONS, STEPS
from search.recall.gates import gate_verdicts
from search.recall.intent.language import CUES as KNOWN_CUES
from search.recall.outcome import Reason
from search.retrieve.query import content_words
from tests import cast
from tests.unit.recall.conftest import FACTS
from tests.unit.web.markup import squeezed
from tests.unit.web.recall.conftest import events


def page(client: Client, path: str, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.status_code
    return unescape(answer.content.decode())


def listed(text: str) -> list[int]:
    return [int(number) for number in re.findall(r'id="turn-(\d+)"', text)]


def test_every_code_has_its_words() -> None:
    assert set(REASONS) == set(Reason) and set(CUES) == set(KNOWN_CUES)
    assert list(GATES) == [verdict.reason for verdict in gate_verdicts(FACTS)]


def test_each_turn_is_told_with_its_reason(admin: Client, told: Callable[..., RecallEvent]) -> None:
    told("Where is the spare key?")
    told("Where is the spare key?", key="agent:main:telegram:group:7")
    found = page(admin, "/agents/al/recall")
    assert "Matched a trigger phrase." in found and "Recall is off for this chat type." in found
    assert 'data-poll="15"' in found


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=denied", 1),
        ("reason=strong_fast_hit", 1),
        ("lane=fast", 1),
        ("session=agent:main:telegram:direct:42", 1),
        ("session=+AGENT:main:telegram:direct:42", 1),
        ("session=agent:main:nobody", 0),
        ("day=2020-01-01", 0),
        ("status=ok&reason=scope_denied", 0),
    ],
)
def test_turns_are_found_by_each_of_their_sides(
    admin: Client, told: Callable[..., RecallEvent], query: str, expected: int
) -> None:
    told("Where is the spare key?")
    told("Where is the spare key?", key="agent:main:telegram:group:7")
    found = page(admin, f"/agents/al/recall?{query}")
    assert len(listed(found)) == expected
    assert ("No turns found" in found) == (expected == 0)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("What did Melanie paint last week?", "melanie paint last week"),
        ("Where are the keys of the garden sheds?", "keys garden sheds"),
        ("语音助手在哪里", "语音助手在哪"),
    ],
)
def test_a_turn_is_listed_by_its_words_whole_unless_its_message_is_kept(
    admin: Client, al: Agent, message: str, words: str
) -> None:
    assert content_words(message) == words
    events(al, 1, query=words)
    events(al, 1, query=words, message=message)
    found = page(admin, "/agents/al/recall")
    assert f"<bdi>{words}</bdi>" in found and f"<bdi>{message}</bdi>" in found and ">Today</h2>" in found


def test_outcomes_of_the_last_day_are_counted_and_lead_to_their_turns(admin: Client, al: Agent) -> None:
    events(al, 3)
    events(al, 2, status="failed", reason="error")
    found = " ".join(page(admin, "/agents/al/recall").split())
    assert re.search(r'href="\?status=ok"[^>]*> 3 recalled', found)
    assert re.search(r'href="\?status=failed" class="tag bad"> 2 failed', found)
    assert len(listed(page(admin, "/agents/al/recall?status=failed"))) == 2


def test_a_day_is_one_of_the_agents_time_zone(admin: Client, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, timezone="Asia/Shanghai")
    events(al, 1)
    RecallEvent.objects.update(at=datetime(2026, 7, 1, 20, 0, tzinfo=UTC))
    assert len(listed(page(admin, "/agents/al/recall?day=2026-07-02"))) == 1
    assert listed(page(admin, "/agents/al/recall?day=2026-07-01")) == []


@pytest.mark.parametrize("query", ["status=perfect", "reason=none", "day=yesterday", "lane=slow"])
def test_a_choice_that_cannot_be_used_is_said_and_shows_nothing(admin: Client, al: Agent, query: str) -> None:
    events(al, 1)
    found = page(admin, f"/agents/al/recall?{query}")
    assert "t valid" in found and 'class="errorlist"' in found and listed(found) == []


def test_pages_follow_each_other_without_a_gap_in_both_directions(admin: Client, al: Agent) -> None:
    made = [event.pk for event in events(al, 120)][::-1]
    seen, addresses = [], ["/agents/al/recall"]
    while addresses[-1]:
        text = page(admin, addresses[-1])
        seen += listed(text)
        older = re.search(r'href="(\?before=\d+)" rel="next"', text)
        addresses.append(f"/agents/al/recall{older[1]}" if older else "")
    assert seen == made and len(addresses) == 4
    newer = re.search(r'href="(\?after=\d+)" rel="prev"', page(admin, addresses[1]))
    assert newer and listed(page(admin, f"/agents/al/recall{newer[1]}")) == made[:50]


@pytest.mark.parametrize("query", ["before=x", "before=-1", f"before={10**30}", "after=", f"before={10**18}"])
def test_a_page_that_is_none_is_the_newest_or_empty(admin: Client, al: Agent, query: str) -> None:
    events(al, 1)
    assert len(listed(page(admin, f"/agents/al/recall?{query}"))) == 1


def test_one_turn_shows_its_gates_its_hints_and_where_the_time_went(
    admin: Client, told: Callable[..., RecallEvent]
) -> None:
    event = told("What did we decide about the boiler yesterday?")
    found = squeezed(page(admin, f"/agents/al/recall/{event.pk}"))
    assert "t stored. Turn on" in found and "boiler" in found and "searched the memory" in found
    assert "<td>0 of 2 phrases</td>" in found
    assert found.count('<span class="tag good">yes</span>') == len(GATES)
    assert f'href="/agents/al/recall?session={event.session}"' in found


def test_the_gate_that_ended_a_turn_is_marked(admin: Client, told: Callable[..., RecallEvent]) -> None:
    event = told("Write a poem about the sea.")
    gates = page(admin, f"/agents/al/recall/{event.pk}").split('class="gates"')[1]
    assert gates.index("asks about something remembered") < gates.index("stopped here")
    assert gates.count("not checked") == 1  # the breaker, behind it


def test_a_kept_message_is_shown_with_the_words_that_spoke(
    admin: Client, keeper: Agent, told: Callable[..., RecallEvent]
) -> None:
    update_agent(actor=cast.OWNER, agent=keeper, settings={"recall_store_messages": True})
    keeper.refresh_from_db()
    event = told("So what did we <b>decide</b> about the boiler last week?")
    raw = admin.get(f"/agents/al/recall/{event.pk}").content.decode()
    assert "&lt;b&gt;decide&lt;/b&gt;" in raw and "<mark><bdi>last week</bdi></mark>" in raw


def test_an_event_of_a_newer_version_is_shown_as_it_is(admin: Client, al: Agent) -> None:
    intent = {"verdict": "recall", "score": 0.9, "evidence": "stars; cues: moon"}
    steps = [{"name": "dream", "took_ms": 1.0, "detail": ""}]
    (event,) = events(al, 1, status="dreamt", reason="because", lane="side", steps=steps, intent=intent)
    assert "dream" not in STEPS
    assert "because" in page(admin, "/agents/al/recall") and "moon" in page(admin, f"/agents/al/recall/{event.pk}")


def test_a_turn_of_another_agent_is_not_there(admin: Client, al: Agent, al_2: Agent) -> None:
    (event,) = events(al_2, 1)
    assert admin.get(f"/agents/al/recall/{event.pk}").status_code == 404
    assert admin.get(f"/agents/al/recall/{2**64}").status_code == 404


def test_the_page_of_all_agents_shows_those_of_ones_roles_alone(client: Client, al: Agent, al_2: Agent) -> None:
    events(al, 1)
    events(al_2, 1)
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    found = page(client, "/recall")
    assert len(listed(found)) == 1 and "al-2" not in found
    assert listed(page(client, "/recall?agent=al-2")) == []


def test_the_owner_chooses_among_all_agents(admin: Client, al: Agent, al_2: Agent) -> None:
    events(al, 1)
    events(al_2, 2)
    assert len(listed(page(admin, "/recall"))) == 3 and len(listed(page(admin, "/recall?agent=al-2"))) == 2


def test_whoever_has_no_agent_is_told_so(guest: Client) -> None:
    assert guest.get("/recall").status_code == 403


def test_an_empty_list_leads_to_the_next_step(admin: Client, al: Agent) -> None:
    assert '<a href="/agents/al/recall/try">' in page(admin, "/agents/al/recall")


@pytest.mark.parametrize("path", ["/recall", "/agents/al/recall"])
def test_queries_do_not_grow_with_the_turns(
    admin: Client, al: Agent, path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for count in (2, 20):
        events(al, count)
        with django_assert_num_queries(5):
            page(admin, path)


@pytest.mark.parametrize("day", ["0001-01-01", "0002-11-30", "9999-12-31"])
@pytest.mark.parametrize("address", ["/agents/al/recall?", "/recall?agent=al&"])
def test_a_day_at_the_end_of_time_is_said_beside_its_field(
    admin: Client, keeper: Agent, address: str, day: str
) -> None:
    update_agent(actor=cast.OWNER, agent=keeper, timezone="Asia/Shanghai")
    assert "Ensure this value is" in page(admin, f"{address}day={day}")
