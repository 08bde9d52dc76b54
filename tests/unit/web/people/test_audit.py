"""The audit log on its page: filters, paging by the rows themselves, nothing that runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from agents.actors import Actor
from agents.audit import record
from agents.models import AuditEvent
from agents.selectors import AuditFilter
from memory_appliance.web.people.audit import PAGE, audit_page


def write(count: int, *, action: str = "key.create", **values: Any) -> None:
    AuditEvent.objects.bulk_create(AuditEvent(actor="key:1 gateway", action=action, **values) for _ in range(count))


def test_a_line_says_who_did_what_to_what_and_how(admin: Client) -> None:
    record(
        actor=Actor("user:ann", "10.0.0.9"), action="scope.set", target="al", agent_slug="al", detail={"rules": [1, 2]}
    )
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", admin.get("/audit").content.decode()))
    assert "user:ann 10.0.0.9 scope.set al rules 1, 2" in text


def test_filters_narrow_the_list(admin: Client) -> None:
    write(1, target="apple")
    write(1, action="user.delete", target="pear", agent_slug="al")
    for query in ("action=key", "action=key.create", "actor=GATEWAY&action=key"):
        text = admin.get(f"/audit?{query}").content.decode()
        assert "apple" in text and "pear" not in text, query
    for query in ("agent=al", "action=user", "since=2020-01-01&agent=al"):
        text = admin.get(f"/audit?{query}").content.decode()
        assert "pear" in text and "apple" not in text, query
    assert "No entries" in admin.get("/audit?until=2020-01-01").content.decode()
    assert "pear" in admin.get("/audit?until=9998-12-31").content.decode()


@pytest.mark.parametrize(
    "query", ["action=A B", "agent=../x", "since=yesterday", "until=2020-99-01", "until=9999-12-31"]
)
def test_a_filter_that_cannot_be_used_is_said_beside_its_field(admin: Client, query: str) -> None:
    page = admin.get(f"/audit?{query}")
    assert page.status_code == 422 and 'class="errorlist' in page.content.decode()


@pytest.mark.parametrize("query", ["before=x", "after=-1", "before=" + "9" * 50, "before=²"])
def test_a_place_that_cannot_be_used_is_the_beginning(admin: Client, query: str) -> None:
    write(1, target="apple")
    assert "apple" in admin.get(f"/audit?{query}").content.decode()


def test_pages_join_without_gap_or_repetition_in_both_directions(db: None) -> None:
    write(PAGE * 2 + 7)
    pages = [audit_page(AuditFilter())]
    while pages[-1].older is not None:
        pages.append(audit_page(AuditFilter(), before=pages[-1].older))
    ids = [event.pk for page in pages for event in page.events]
    assert len(pages) == 3 and ids == sorted(ids, reverse=True) and len(set(ids)) == PAGE * 2 + 7
    back = audit_page(AuditFilter(), after=pages[2].newer)
    assert back.events == pages[1].events and back.newer is not None
    first = audit_page(AuditFilter(), after=back.newer)
    assert first.events == pages[0].events and first.newer is None and pages[0].newer is None


def test_lines_that_come_meanwhile_do_not_move_the_page(db: None) -> None:
    write(PAGE + 1)
    first = audit_page(AuditFilter())
    write(3)
    assert len(audit_page(AuditFilter(), before=first.older).events) == 1


def test_what_others_wrote_is_escaped(admin: Client) -> None:
    write(1, target="<script>x</script>", detail={"<b>": "<i>\x1b[31m"})
    text = admin.get("/audit").content.decode()
    assert "<script>x" not in text and "<b>" not in text and "<i>" not in text and "\x1b" not in text


def test_a_page_of_a_long_log_asks_once(admin: Client, django_assert_num_queries: Any) -> None:
    write(3000)
    with django_assert_num_queries(3):
        assert admin.get("/audit").content.count(b"data-item") == PAGE
