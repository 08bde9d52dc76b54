"""The charts of the overview: of all agents for an owner, of their own for members."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.access.users import create_user
from agents.memory.activity import count_activity
from agents.models import Agent
from tests import cast
from tests.unit.activity.test_counting import turn


def test_the_overview_draws_what_a_person_may_see(admin: Client, al: Agent, al_2: Agent) -> None:
    turn(al_2, "ok", timezone.now() - timedelta(hours=1))
    count_activity()
    for range_ in ("24h", "14d", "90d", "nonsense"):
        page = admin.get("/", {"range": range_}).content.decode()
        assert "Recalls by outcome: 1 recalled" in page and page.count("<svg") >= 3, range_
    create_user(actor=cast.OWNER, name="ada", password="a long password", roles={"al": "view"})
    ada = Client()
    ada.force_login(User.objects.get(username="ada"))
    assert "1 recalled" not in ada.get("/").content.decode()
    turn(al, "denied", timezone.now() - timedelta(hours=1))
    count_activity()
    assert "Recalls by outcome: 1 denied" in ada.get("/").content.decode()


def test_an_agents_own_page_draws_its_turns_alone(admin: Client, al: Agent, al_2: Agent) -> None:
    for agent, status in ((al, "ok"), (al, "skipped"), (al_2, "failed")):
        turn(agent, status, timezone.now() - timedelta(hours=1))
    count_activity()
    assert "Recalls by outcome: 1 recalled, 1 not needed" in admin.get("/agents/al?range=24h").content.decode()
    assert "Activity" not in admin.get(f"/agents/{cast.agent_with('new', {}).slug}").content.decode()
