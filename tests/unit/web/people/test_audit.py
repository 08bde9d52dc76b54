"""The audit log on its page: filters, paging by the rows themselves, nothing that runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from agents.core.actors import Actor
from agents.core.audit import record
from agents.models import AuditEvent
from agents.registry.selectors import AuditFilter
from memory_appliance.web.people.audit import PAGE, audit_page
from memory_appliance.web.people.audit_words import ACTIONS, sentence_of

ROOT = Path(__file__).parents[4]


NO_ACTIONS = {"agent.json", "rows.json", "memory_appliance.forwarded_by_stranger", "memory_appliance.peer"}
"""Other dotted words in modules that record actions."""
KEEP_DENIALS = ("gate", "open_memory", "record_denial")


def _recorded() -> set[str]:
    """Dotted words of every module that calls `record`, and the verbs of all calls that keep denials."""
    found: set[str] = set()
    for folder in ("agents", "memory_appliance", "workers"):
        for path in (ROOT / folder).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            imports = (
                node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "agents.core.audit"
            )
            if any(name.name == "record" for node in imports for name in node.names):
                words = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
                found.update(word for word in words if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", word))
            for node in nodes:
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in KEEP_DENIALS:
                    if any(given.arg == "recorded" for given in node.keywords):
                        continue
                    verbs = (part.value for part in node.args if isinstance(part, ast.Constant))
                    found.update(f"{verb}.denied" for verb in verbs if isinstance(verb, str))
    return found - NO_ACTIONS


def write(count: int, *, action: str = "key.create", **values: Any) -> None:
    AuditEvent.objects.bulk_create(AuditEvent(actor="key:1 gateway", action=action, **values) for _ in range(count))


def test_a_line_is_a_sentence_with_its_codes_behind_it(admin: Client) -> None:
    record(
        actor=Actor("user:ann", "10.0.0.9"), action="scope.set", target="al", agent_slug="al", detail={"rules": [1, 2]}
    )
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", admin.get("/audit").content.decode()))
    assert "ann changed the scope rules of al Who user:ann Address 10.0.0.9 Action scope.set" in text
    assert "Target al Agent al rules 1, 2" in text


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (AuditEvent(actor="key:3 telegram", action="search.denied", target="al", agent_slug="al"),
         "Key telegram was denied a search in al"),
        (AuditEvent(actor="user:ann", action="memory.forget", target="session", agent_slug="al"),
         "ann made al forget a chat"),
        (AuditEvent(actor="cli", action="user.create", target="user:bob"), "The command line added bob"),
        (AuditEvent(actor="visitor", action="user.login.denied"), "A visitor gave a wrong name or password"),
        (AuditEvent(actor="system", action="thing.of_tomorrow", target="x\x1b"),
         "The server thing.of_tomorrow x⟨U+001B⟩"),
        (AuditEvent(actor="user:%(what)s", action="key.revoke", target="%(who)s %s"),
         "%(what)s revoked key %(who)s %s"),
    ],
)  # fmt: skip
def test_sentences_name_people_keys_and_targets(event: AuditEvent, sentence: str) -> None:
    with override("en"):
        assert sentence_of(event) == sentence


def test_every_action_that_the_code_records_has_a_sentence() -> None:
    found = _recorded()
    assert {"agent.create", "search.denied", "user.delete", "collection.shared_in"} <= found
    assert found - ACTIONS.keys() == set(), "actions without a sentence"
    assert ACTIONS.keys() - found == set(), "sentences of actions that nothing records"


def test_filters_narrow_the_list(admin: Client) -> None:
    write(1, target="apple")
    write(1, action="user.delete", target="pear", agent_slug="al")
    for query in ("action=key.create", "actor=GATEWAY&action=key.create"):
        text = admin.get(f"/audit?{query}").content.decode()
        assert "apple" in text and "pear" not in text, query
    for query in ("agent=al", "action=user.delete", "since=2020-01-01&agent=al"):
        text = admin.get(f"/audit?{query}").content.decode()
        assert "pear" in text and "apple" not in text, query
    assert "No entries" in admin.get("/audit?until=2020-01-01").content.decode()
    assert "pear" in admin.get("/audit?until=9998-12-31").content.decode()


@pytest.mark.parametrize(
    "query", ["action=A B", "action=key", "agent=../x", "since=yesterday", "until=2020-99-01", "until=9999-12-31"]
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
