"""The page of scope rules: edited in order without script, saved as a whole, asked about a chat."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from agents.access.scope import Match, Rule, Scope
from agents.access.users import create_user
from agents.indexes.specs import scope_of
from agents.models import Agent, Transcript
from agents.registry.scope_rules import set_scope
from memory_appliance.web.scope.draft import digest_of
from tests import cast

PAGE = "/agents/al/scope"
GROUPS = Scope("deny", (Rule("deny", Match(channel="slack")), Rule("allow", Match(chat_type="group"))))


def form(scope: Scope, **values: Any) -> dict[str, Any]:
    """What a browser sends for these rules."""
    names = ("chat_type", "channel", "key_prefix", "raw_key_prefix")
    columns = {name: [getattr(rule.match, name) or "" for rule in scope.rules] for name in names}
    return {"action": [rule.action for rule in scope.rules], **columns, "default": scope.default, **values}


def stored(agent: Agent) -> Scope:
    return scope_of(Agent.objects.get(pk=agent.pk))


def seen(agent: Agent) -> str:
    return digest_of(stored(agent))


def actions(page: Any) -> list[str]:
    return [row.rule.channel or row.rule.chat_type for row in page.context["page"].rows]


def test_the_rules_that_are_sent_are_saved_in_their_order(admin: Client, al: Agent) -> None:
    answer = admin.post(PAGE, form(GROUPS, do="save", seen=seen(al)))
    assert answer["Location"] == PAGE and stored(al) == GROUPS
    assert "Rules saved" in admin.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("up:1", ["group", "slack"]),
        ("down:0", ["group", "slack"]),
        ("up:0", ["slack", "group"]),
        ("remove:0", ["group"]),
        ("add", ["slack", "group", ""]),
        ("template:nobody", []),
        ("template:none", ["slack", "group"]),
        ("remove:99999999999999999999", ["slack", "group"]),
        ("up:" + "9" * 5000, ["slack", "group"]),
        ("up:٣", ["slack", "group"]),
        ("", ["slack", "group"]),
    ],
)
def test_buttons_change_the_form_and_nothing_else(admin: Client, al: Agent, command: str, expected: list[str]) -> None:
    before = stored(al)
    page = admin.post(PAGE, form(GROUPS, do=command, seen=seen(al)))
    assert actions(page) == expected and "Not saved yet" in page.content.decode()
    assert stored(al) == before


def test_what_is_wrong_stands_beside_its_field_and_the_rest_stays(admin: Client, al: Agent) -> None:
    before = stored(al)
    bad = Scope("deny", (Rule("allow", Match(chat_type="group")), Rule("allow", Match(channel=":"))))
    page = admin.post(PAGE, form(bad, do="save", seen=seen(al)))
    assert page.status_code == 422 and 'id="channel-error-1"' in page.content.decode()
    assert stored(al) == before


@pytest.mark.parametrize("column", ["action", "chat_type", "default"])
def test_values_that_no_form_offers_are_refused(admin: Client, al: Agent, column: str) -> None:
    before = stored(al)
    values = form(GROUPS, do="save", seen=seen(al)) | {column: ["everything", "everything"]}
    admin.post(PAGE, values)
    assert stored(al) == before or (column == "default" and stored(al).default == "deny")


def test_rules_that_somebody_else_changed_are_not_lost_without_a_word(admin: Client, al: Agent) -> None:
    old = seen(al)
    set_scope(actor=cast.OWNER, agent=al, scope=Scope("deny"))
    page = admin.post(PAGE, form(GROUPS, do="save", seen=old))
    assert page.status_code == 409 and stored(al) == Scope("deny") and actions(page) == ["slack", "group"]
    admin.post(PAGE, form(GROUPS, do="save", seen=page.context["page"].seen))
    assert stored(al) == GROUPS


def test_a_rule_that_is_never_used_says_which_ones_decide_before_it(admin: Client, al: Agent) -> None:
    shadowed = Scope("deny", (Rule("deny"), Rule("allow", Match(chat_type="direct"))))
    page = admin.post(PAGE, form(shadowed, do="", seen=seen(al))).content.decode()
    assert "Never applies: rule 1 decides first for all of these chats." in page


@pytest.mark.parametrize(
    ("chat", "sentence"),
    [
        ({"check_key": "agent:al:telegram:direct:42"}, "Rule 1 allows it."),
        ({"check_recent": "agent:al:telegram:direct:42"}, "Rule 1 allows it."),
        ({"check_key": "agent:al:slack:group:5"}, "so the default applies: deny."),
        ({"check_key": "agent:al:telegram:direct:42", "check_chat_type": "group"}, "matches this chat (group)"),
        ({"check_key": ""}, "matches this chat (unknown)"),
        ({"check_key": "agent:al:telegram:direct:42", "check_channel": "slack"}, "Rule 1 allows it."),
    ],
)
def test_a_chat_is_tested_and_the_deciding_rule_is_named(
    admin: Client, al: Agent, chat: dict[str, str], sentence: str
) -> None:
    assert sentence in admin.post(PAGE, form(stored(al), do="check", seen=seen(al), **chat)).content.decode()


def test_the_rules_on_the_screen_are_tested_before_they_are_saved(admin: Client, al: Agent) -> None:
    before = stored(al)
    chat = {"check_key": "agent:al:slack:group:5"}
    page = admin.post(PAGE, form(GROUPS, do="check", seen=seen(al), **chat)).content.decode()
    assert "Rule 1 denies it." in page and "Not saved yet" in page
    chat = {"check_key": "agent:al:telegram:group:5"}
    assert "Rule 2 allows it." in admin.post(PAGE, form(GROUPS, do="check", seen=seen(al), **chat)).content.decode()
    assert stored(al) == before


def test_recent_chats_are_offered_for_the_test(admin: Client, al: Agent) -> None:
    Transcript.objects.create(agent=al, session_key="agent:al:telegram:group:77", folder="x")
    assert "group · telegram · agent:al:telegram:group:77" in admin.get(PAGE).content.decode()


def test_each_rule_says_in_the_readers_language_why_it_does_not_apply(admin: Client, al: Agent) -> None:
    rules = Scope("deny", (Rule("deny", Match(channel="slack")), Rule("allow", Match(key_prefix="main"))))
    page = admin.post(
        PAGE,
        form(rules, do="check", check_key="agent:al:telegram:direct:4", seen=seen(al)),
        headers={"accept-language": "zh-CN"},
    )
    reasons = " ".join(rule.reason for rule in page.context["page"].check.rules)
    assert reasons and not re.search(r"[a-z]+ [a-z]+ [a-z]+", reasons)


def test_a_key_full_of_markup_is_shown_as_text(admin: Client, al: Agent) -> None:
    chat = {"check_key": '"><script>alert(1)</script>', "check_channel": "slack\x1b[2J\u202e"}
    answer = admin.post(PAGE, form(stored(al), do="check", seen=seen(al), **chat))
    page = answer.content.decode().partition('class="check-answer"')
    assert "<script>alert" not in "".join(page) and "\x1b" not in page[2] and "\u202e" not in page[2]


def test_a_new_rule_denies_and_needs_a_condition(admin: Client, al: Agent) -> None:
    page = admin.post(PAGE, form(GROUPS, do="add", seen=seen(al)))
    assert page.context["page"].rows[-1].rule.action == "deny"
    bare = Scope("deny", (*GROUPS.rules, Rule("deny")))
    page = admin.post(PAGE, form(bare, do="save", seen=seen(al)))
    assert page.status_code == 422 and "Add at least one condition" in page.content.decode()
    assert stored(al) != bare


@pytest.mark.parametrize("wide", [Scope("allow"), Scope("deny", (Rule("allow"),))])
def test_a_memory_is_opened_to_every_chat_only_when_that_is_ticked(admin: Client, al: Agent, wide: Scope) -> None:
    before = stored(al)
    page = admin.post(PAGE, form(wide, do="save", seen=seen(al)))
    assert page.status_code == 422 and "This opens the memory to every chat." in page.content.decode()
    assert stored(al) == before
    admin.post(PAGE, form(wide, do="save", seen=seen(al), confirm_open="yes"))
    assert stored(al) == wide
    assert "This opens the memory" not in admin.get(PAGE).content.decode()


def test_for_htmx_the_same_part_comes_alone(admin: Client, al: Agent) -> None:
    part = admin.post(PAGE, form(GROUPS, do="up:1", seen=seen(al)), headers={"HX-Request": "true"}).content.decode()
    assert 'id="scope-form"' in part and "<html" not in part and part.count("data-focus") == 1


@pytest.mark.parametrize("role", ["view", "edit"])
def test_rules_are_for_those_who_administer_the_agent(client: Client, al: Agent, role: Any) -> None:
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": role}))
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, form(GROUPS, do="save", seen=seen(al))).status_code == 403
    assert stored(al) != GROUPS


def test_a_hundred_rules_cost_no_more_queries_than_two(
    admin: Client, al: Agent, django_assert_num_queries: Any
) -> None:
    set_scope(actor=cast.OWNER, agent=al, scope=Scope("deny", GROUPS.rules * 50))
    with django_assert_num_queries(5):
        assert len(admin.get(PAGE).context["page"].rows) == 100
