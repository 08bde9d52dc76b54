"""Every skipped file with its reason and its way out, a page at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent
from tests import cast

PAGE = "/agents/al/problems"


@pytest.fixture
def skipped(al: Agent) -> None:
    for number in range(120):
        (Path(al.workspace) / "memory" / f"link-{number:03}.md").symlink_to("/etc/hostname")
    cast.index(al)


def test_all_are_there_over_two_pages(admin: Client, skipped: None) -> None:
    first, second = admin.get(PAGE), admin.get(PAGE, {"page": "2"})
    paths = [row.path for page in (first, second) for row in page.context["page"].rows]
    assert len(set(paths)) == 120 and 'rel="next"' in first.content.decode()
    assert 'rel="next"' not in second.content.decode()


def test_each_says_what_to_do(admin: Client, skipped: None) -> None:
    text = admin.get(PAGE).content.decode()
    assert "symlink, not followed" in text and "Put the file itself here" in text


def test_without_problems_the_page_says_so(admin: Client, al: Agent) -> None:
    assert "Nothing was skipped" in admin.get(PAGE).content.decode()


def test_a_page_that_cannot_be_is_a_page(admin: Client, skipped: None) -> None:
    numbers = ("0", "-1", "9" * 30, "x", "٣", "", "77")
    assert {admin.get(PAGE, {"page": number}).status_code for number in numbers} == {200}


def test_a_name_full_of_tricks_is_shown_as_text(admin: Client, al: Agent) -> None:
    (Path(al.workspace) / "memory" / "<b>\u202egnp.md").symlink_to("/etc/hostname")
    cast.index(al)
    text = admin.get(PAGE).content.decode()
    assert "<b>" not in text and "\u202e" not in text
