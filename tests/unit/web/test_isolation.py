"""Every page as a visitor, as somebody without a role, and as a member of another agent: new pages are named here."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from agents.access.users import create_user
from agents.models import Agent
from agents.registry.agents import request_update, update_agent
from tests import cast

OPEN = {
    "accounts/login/",
    "accounts/logout/",
    "admin/login/",
    "api/docs",
    "health/live",
    "health/ready",
    "metrics",
    "start",
}
"""Show nothing of any agent to anybody."""

OWN = {"", "search", "recall"}
"""Show a member the agents of their roles."""

OF_AN_AGENT = {
    "agents/<slug:slug>",
    "agents/<slug:slug>/about",
    "agents/<slug:slug>/chat",
    "agents/<slug:slug>/chat/delete",
    "agents/<slug:slug>/chat/export",
    "agents/<slug:slug>/chats",
    "agents/<slug:slug>/collection",
    "agents/<slug:slug>/collection/remove",
    "agents/<slug:slug>/collections",
    "agents/<slug:slug>/delete",
    "agents/<slug:slug>/file",
    "agents/<slug:slug>/file/edit",
    "agents/<slug:slug>/file/forget",
    "agents/<slug:slug>/file/raw",
    "agents/<slug:slug>/files",
    "agents/<slug:slug>/files/new",
    "agents/<slug:slug>/history",
    "agents/<slug:slug>/learned",
    "agents/<slug:slug>/memory-health",
    "agents/<slug:slug>/memory-health/consolidate",
    "agents/<slug:slug>/memory-health/review",
    "agents/<slug:slug>/jobs",
    "agents/<slug:slug>/jobs/cancel",
    "agents/<slug:slug>/problems",
    "agents/<slug:slug>/rebuild",
    "agents/<slug:slug>/recall",
    "agents/<slug:slug>/recall/<int:number>",
    "agents/<slug:slug>/recall/triggers",
    "agents/<slug:slug>/recall/try",
    "agents/<slug:slug>/scope",
    "agents/<slug:slug>/search",
    "agents/<slug:slug>/settings",
    "agents/<slug:slug>/settings/reset",
    "agents/<slug:slug>/switch",
    "agents/<slug:slug>/update",
}
"""Show a person with a role for that one agent what is that agent's."""

PERSONAL = {"accounts/password/", "admin/password_change/"}
"""Show a person nothing but what is theirs."""

BY_KEY = {"api/v1/", "mcp", "mcp/"}
"""Know keys and no sessions; tests/unit/{api,mcp} walk them."""

OWNERS = {"admin/"}

OWNERS_ONLY = {
    "audit",
    "components",
    "keys",
    "keys/<int:number>/revoke",
    "keys/<int:number>/rotate",
    "keys/new",
    "start/agent",
    "start/connect",
    "start/index",
    "start/models",
    "system",
    "system/about",
    "system/backups",
    "system/backups/make",
    "system/backups/remove",
    "system/backups/verify",
    "system/defaults",
    "system/defaults/reset",
    "system/doctor",
    "system/models",
    "system/models/pull",
    "system/models/remove",
    "system/models/use",
    "system/options",
    "system/roles/<str:role>",
    "users",
    "users/<int:number>",
    "users/<int:number>/delete",
    "users/new",
}
"""Refused to everybody else who is signed in."""

FORMS = {"accounts/theme/", "accounts/language/"}
"""Take a POST from anybody and keep a cookie."""

SECRETS = re.compile(r"(?<!\d)(?<!\d\.)7731(?!\.?\d)|al-2|Neighbour")
"""The number by itself: the figures of the server hold any four digits now and then."""


def _addresses() -> Iterator[str]:
    for entry in get_resolver().url_patterns:
        assert isinstance(entry, URLPattern | URLResolver)
        yield str(entry.pattern)


def _path(address: str) -> str:
    return "/" + address.replace("<int:number>", "1").replace("<str:role>", "embed")


@pytest.fixture
def member(al: Agent) -> Client:
    """A browser in which somebody with a role for agent `al` alone is signed in."""
    client = Client()
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "admin"}))
    return client


@pytest.fixture(autouse=True)
def neighbour(al_2: Agent) -> Agent:
    """Agent `al-2` with a name and a job that others must not see."""
    request_update(actor=cast.OWNER, agent=al_2)
    return update_agent(actor=cast.OWNER, agent=al_2, name="Neighbour")


def test_every_address_is_sorted_here() -> None:
    assert set(_addresses()) == (OPEN | OWN | OF_AN_AGENT | PERSONAL | BY_KEY | OWNERS | OWNERS_ONLY | FORMS)


@pytest.mark.parametrize("address", sorted(OPEN | OWN | PERSONAL | BY_KEY | OWNERS | OWNERS_ONLY | FORMS))
def test_no_page_shows_another_agent(client: Client, member: Client, address: str) -> None:
    nobody = Client()
    nobody.force_login(User.objects.create_user("guest"))
    for browser in (client, member, nobody):
        for path in (address, f"{address}agents/agent/" if address in OWNERS else address):
            page = browser.get(_path(path), follow=True)
            text = b"".join(page).decode(errors="replace")
            assert page.status_code < 500 and not SECRETS.search(text), path


@pytest.mark.parametrize("address", sorted(OWN | PERSONAL | OWNERS | OWNERS_ONLY))
def test_a_visitor_is_asked_to_sign_in(client: Client, address: str) -> None:
    assert "/login/" in client.get(_path(address))["Location"]


@pytest.mark.parametrize("address", sorted(OF_AN_AGENT))
@pytest.mark.parametrize("slug", ["al-2", "nowhere"])
def test_a_page_of_an_agent_of_others_is_as_if_it_was_not_there(
    client: Client, member: Client, address: str, slug: str
) -> None:
    nobody = Client()
    nobody.force_login(User.objects.create_user("guest"))
    path = "/" + address.replace("<slug:slug>", slug).replace("<int:number>", "1")
    form = {"path": "MEMORY.md", "version": "0" * 64}
    for query in ({}, form):
        assert "/login/" in client.get(path, query)["Location"]
        for browser in (member, nobody):
            page = browser.get(path, query)
            assert page.status_code == 404 and not SECRETS.search(page.content.decode())
    assert "/login/" in client.post(path, form)["Location"]
    assert {browser.post(path, form).status_code for browser in (member, nobody)} == {404}


@pytest.mark.parametrize("address", sorted(OWNERS_ONLY))
def test_pages_of_owners_are_refused_to_members(member: Client, address: str) -> None:
    assert member.get(_path(address)).status_code == 403
    assert member.post(_path(address), {"confirmed": "yes"}).status_code == 403


def test_a_session_is_no_key(member: Client) -> None:
    assert member.get("/api/v1/agents").status_code == 401
    assert member.post("/mcp", b"{}", content_type="application/json").status_code == 401


def test_djangos_admin_is_for_owners(member: Client, al: Agent, al_2: Agent) -> None:
    for model in ("agent", "apikey", "auditevent", "run", "collection"):
        assert member.get(f"/admin/agents/{model}/").status_code == 302
    assert member.post(f"/admin/agents/agent/{al.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Agent.objects.count() == 2
