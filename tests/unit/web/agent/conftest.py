"""Members of agent `al`, one per role."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from agents.access.roles import Role
from agents.access.users import create_user
from agents.models import Agent
from tests import cast

Member = Callable[[Role], Client]


@pytest.fixture
def member(al: Agent) -> Member:
    """A browser in which somebody with that role for `al` alone is signed in."""

    def sign_in(role: Role) -> Client:
        browser = Client()
        browser.force_login(create_user(actor=cast.OWNER, name=f"{role}er", roles={"al": role}))
        return browser

    return sign_in


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server as a whole is well; its own checks have their own tests."""
    from memory_appliance.health import Health
    from memory_appliance.web.agent import health

    monkeypatch.setattr(health, "health", lambda: Health("ok", {}))
