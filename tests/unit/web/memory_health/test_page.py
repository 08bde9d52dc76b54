"""Memory health as people see it: budgets, pairs side by side, what is found, and promoting on one's word."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.memory.signals import entry_digest
from agents.models import Agent, FileUse, Run, UsedEntry
from agents.registry.agents import update_agent
from agents.upkeep.memory_health.review import request_review
from tests import cast
from tests.unit.web.files.browser import INLINE_OR_FOREIGN, person
from workers.tasks.review import review

PAGE = "/agents/al/memory-health"
POT = "- The spare key is no longer under the blue <b>pot</b>.\n"


@pytest.fixture
def agent(al: Agent) -> Agent:
    cast.write_files(al, {"memory/2026-03-02.md": POT, "memory/2026-01-05.md": "- the pump hums\n"})
    cast.index(al)
    return al


def look_through(agent: Agent) -> Run:
    run = request_review(actor=cast.OWNER, agent=agent)
    review(run.pk)
    return run


def shown(browser: Client, address: str = PAGE) -> str:
    page = browser.get(address)
    assert page.status_code == 200
    return re.sub(r"\s+", " ", page.content.decode())


def test_before_anybody_has_looked_the_page_says_what_a_look_brings(agent: Agent) -> None:
    text = shown(person("edit"))
    assert "Not scanned yet" in text and "Scan notes</button>" in text
    assert "Scan notes</button>" not in shown(person("view"))


def test_the_curated_files_are_held_against_their_budgets(agent: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=agent, settings={"context_file_chars": 1000})
    cast.write_files(agent, {"MEMORY.md": "x" * 900, "USER.md": "y" * 1001})
    text = shown(person("view"))
    assert "900 of 1,000 characters" in text and "nearly full" in text and "too long" in text
    assert '<meter min="0" max="1000" low="850"' in text


def test_a_form_starts_the_look_and_its_progress_asks_for_itself(agent: Agent) -> None:
    browser = person("edit")
    assert browser.post(f"{PAGE}/review")["Location"] == PAGE
    text = shown(browser)
    assert 'data-poll="2"' in text and "Scanning notes" in text
    assert person("view").post(f"{PAGE}/review").status_code == 403
    assert browser.get(f"{PAGE}/review")["Location"] == PAGE


def test_two_lines_that_disagree_stand_side_by_side_and_lead_to_their_places(agent: Agent) -> None:
    look_through(agent)
    text = shown(person("view"))
    assert "one denies it" in text and "The spare key is under the blue pot." in text
    assert 'href="/agents/al/file?path=MEMORY.md&amp;lines=3#L3"' in text
    assert "&lt;b&gt;pot&lt;/b&gt;" in text and "<b>pot" not in text and not INLINE_OR_FOREIGN.search(text)
    assert "only lines with the same words were compared" in text and "data-poll" not in text


def test_a_look_that_failed_says_so(agent: Agent) -> None:
    run = request_review(actor=cast.OWNER, agent=agent)
    Run.objects.filter(pk=run.pk).update(state="failed", error="The disk is full.")
    text = shown(person("edit"))
    assert "t finish" in text and "The disk is full." in text


def test_what_is_found_often_and_never_is_told(agent: Agent) -> None:
    assert "No results yet" in shown(person("view"))
    now = timezone.now()
    FileUse.objects.create(agent=agent, path="memory/2026-03-02.md", found=1234, first_at=now, last_at=now)
    text = shown(person("admin"))
    assert "1,234" in text and "1 file from before" in text and "memory/2026-01-05.md</bdi>" in text


def test_few_findings_cost_as_many_queries_as_many(agent: Agent) -> None:
    browser = person("view")
    look_through(agent)
    few = queries(browser)
    for number, letter in enumerate("abcdefghijklmnopqrst"):
        line = f"Locker {letter * 4} needs a coin of"
        cast.write_files(agent, {f"memory/n{number}.md": f"{line} 5\n", f"memory/m{number}.md": f"{line} 7\n"})
    cast.index(agent)
    look_through(agent)
    now = timezone.now()
    rows = [FileUse(agent=agent, path=f"memory/n{one}.md", found=1, first_at=now, last_at=now) for one in range(20)]
    FileUse.objects.bulk_create(rows)
    assert shown(browser).count('class="pair"') > 15 and queries(browser) == few


def queries(browser: Client) -> int:
    with CaptureQueriesContext(connection) as asked:
        browser.get(PAGE)
    return len(asked)


@pytest.fixture
def used(agent: Agent) -> Agent:
    """A line of a dated note that searches have used often enough to be promoted."""
    line = "- The boiler service by Norden costs 140 crowns every October."
    cast.write_files(agent, {"memory/2026-03-02.md": f"{line}\n"})
    update_agent(actor=cast.OWNER, agent=agent, settings={"consolidate_enabled": True})
    now = timezone.now()
    UsedEntry.objects.create(
        agent=agent, path="memory/2026-03-02.md", digest=entry_digest(line), line=1, recalls=6, score_sum=5.6,
        queries=["a", "b", "c", "d", "e"], days=[(now - timedelta(days=back)).date().isoformat() for back in (0, 4, 9)],
        last_at=now,
    )  # fmt: skip
    return agent


def test_a_preview_shows_what_would_be_promoted_and_changes_nothing(used: Agent) -> None:
    before = (Path(used.workspace) / "MEMORY.md").read_bytes()
    text = shown(person("view"), f"{PAGE}/consolidate")
    assert "<ins>- The boiler service by Norden costs 140 crowns" in text and "lines=1#L1" in text
    assert ">Promote<" not in text and "edit role" in text
    assert (Path(used.workspace) / "MEMORY.md").read_bytes() == before


def test_promoting_takes_the_role_edit_and_then_happens(used: Agent) -> None:
    assert person("view").post(f"{PAGE}/consolidate").status_code == 403
    page = person("edit").post(f"{PAGE}/consolidate", follow=True).content.decode()
    assert "1 entry promoted." in page and "Norden" in (Path(used.workspace) / "MEMORY.md").read_text()


def test_nothing_to_promote_says_what_to_do(agent: Agent) -> None:
    text = shown(person("admin"), f"{PAGE}/consolidate")
    assert "Nothing to promote" in text and "Consolidation is off" in text
    assert person("edit").post(f"{PAGE}/consolidate").status_code == 409
