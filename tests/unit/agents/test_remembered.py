"""Rows that every request needs are read once, and again as soon as anything was committed by anybody."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from agents.access.keys import revoke_key
from agents.access.secrets import find_key
from agents.core.errors import NotFound
from agents.core.remembered import _version
from agents.indexes.specs import index_spec, scope_of
from agents.models import Agent, ApiKey, ScopeRule
from agents.providers.plans import server_plan
from agents.registry.agents import delete_agent
from agents.registry.selectors import get_agent
from search.runtime.presets import Role
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)
EMBED: Role = "embed"


def elsewhere(work: Any) -> None:
    """As another process does it: through a connection of its own."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


def queries_of_a_quiet_call(ask: Callable[[], None]) -> list[str]:
    """The queries of an `ask()` during which nothing was committed. On PostgreSQL, commits in the databases of other
    tests on the same server count too, so it may take more than one try."""
    for _ in range(100):
        ask()
        before = _version()
        with CaptureQueriesContext(connection) as captured:
            ask()
        queries = [query["sql"] for query in captured.captured_queries]
        if _version() == before:
            return queries
    raise AssertionError("other tests committed during each of 100 calls")


def test_nothing_is_read_again_while_nothing_changes(al: Agent, owner: cast.Person) -> None:
    def ask() -> None:
        assert find_key(owner.secret) is not None
        agent = get_agent("al")
        assert scope_of(agent).rules
        assert index_spec(agent).collections
        assert server_plan(EMBED).source == "option"

    # SQLite is asked through the driver whether anything has changed, PostgreSQL by a query for each of the three.
    asked = [] if connection.vendor == "sqlite" else ["SELECT pg_current_snapshot()::text"] * 3
    assert queries_of_a_quiet_call(ask) == asked


def test_a_key_that_another_process_revokes_opens_nothing_more(owner: cast.Person) -> None:
    key = find_key(owner.secret)
    assert key is not None
    elsewhere(lambda: ApiKey.objects.filter(pk=key.pk).update(revoked_at="2026-01-01T00:00:00Z"))
    assert find_key(owner.secret) is None


def test_a_key_that_runs_out_opens_nothing_more_though_no_row_changes(owner: cast.Person, monkeypatch: Any) -> None:
    key = find_key(owner.secret)
    assert key is not None
    ApiKey.objects.filter(pk=key.pk).update(expires_at="2030-01-01T00:00:00Z")
    assert find_key(owner.secret) is not None
    monkeypatch.setattr("agents.access.secrets.timezone.now", lambda: datetime(2031, 1, 1, tzinfo=UTC))
    assert find_key(owner.secret) is None


def test_a_rule_that_another_process_changes_counts_at_once(al: Agent) -> None:
    before = scope_of(get_agent("al"))
    elsewhere(lambda: ScopeRule.objects.filter(agent=al).delete())
    assert before.rules
    assert not scope_of(get_agent("al")).rules


def test_what_a_transaction_took_back_was_never_there(al: Agent) -> None:
    get_agent("al")
    with pytest.raises(RuntimeError), transaction.atomic():
        Agent.objects.filter(slug="al").update(name="other")
        assert get_agent("al").name == "other"
        raise RuntimeError
    assert get_agent("al").name != "other"


def test_nobody_sees_what_another_did_to_his_copy(al: Agent) -> None:
    for _ in range(2):
        mine = get_agent("al")
        assert "name" not in mine.settings
        mine.settings["name"] = "mine"
        mine.scope_rules.all()[0].match["channel"] = "mine"
    assert "mine" not in str([rule.match for rule in get_agent("al").scope_rules.all()])


def test_an_agent_of_the_same_name_is_another_one(al: Agent) -> None:
    first = get_agent("al")
    elsewhere(lambda: delete_agent(actor=cast.OWNER, agent=first))
    with pytest.raises(NotFound):
        get_agent("al")


def test_agents_and_what_a_key_may_see_are_kept_apart(al: Agent, owner: cast.Person) -> None:
    cast.agent_with("bo", {})
    assert get_agent("al", Q(slug__in=["al"])).slug == "al"
    for _ in range(2):
        with pytest.raises(NotFound):
            get_agent("al", Q(slug__in=["bo"]))
        assert get_agent("bo").slug == "bo"


def test_the_same_process_sees_its_own_revocation(owner: cast.Person) -> None:
    key = find_key(owner.secret)
    assert key is not None
    revoke_key(actor=cast.OWNER, key=key)
    assert find_key(owner.secret) is None
