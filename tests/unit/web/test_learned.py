"""The page Learned: notes by day and chat, decided one by one or all at once, by those who may edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.access.sessions import Session
from agents.core.actors import Actor, Caller
from agents.files.learned import learned
from agents.files.notes import note
from agents.models import Agent
from tests.unit.web.files.browser import person
from tests.unit.web.markup import squeezed

PAGE = "/agents/al/learned"
GATEWAY = Caller(Actor("key:1 telegram"), trusted=True)


@pytest.fixture
def written(al: Agent) -> Agent:
    for number, chat in ((1, "42"), (2, "42"), (3, "7")):
        session = Session(key=f"agent:al:telegram:direct:{chat}")
        note(agent=al, caller=GATEWAY, text=f"Fact {number} <b>of note</b>.", target="memory", session=session)
    return al


@pytest.fixture
def viewer(al: Agent) -> Client:
    return person("view")


def ids(agent: Agent) -> list[str]:
    return [str(row.id) for row in learned(agent).rows]


def test_notes_are_shown_by_chat_as_text(admin: Client, written: Agent) -> None:
    text = squeezed(admin.get(PAGE).content.decode())
    assert "3 notes wait for you." in text and text.count('class="learned"') == 2
    assert "Fact 1 &lt;b&gt;of note&lt;/b&gt;." in text and "Key telegram" in text and "MEMORY.md" in text


def test_ticked_ones_are_rejected_and_all_shown_are_kept(admin: Client, written: Agent) -> None:
    newest, *_ = ids(written)
    answer = admin.post(PAGE, {"do": "reject", "note": [newest], "shown": ids(written)}, follow=True)
    assert "1 note rejected and taken out." in answer.content.decode()
    text = (Path(written.workspace) / "MEMORY.md").read_text()
    assert "Fact 3" not in text and "Fact 2" in text
    admin.post(PAGE, {"do": "keep-all", "shown": ids(written)})
    assert learned(written).waiting == 0
    assert "Nothing waits for you" in admin.get(PAGE).content.decode()
    everything = admin.get(f"{PAGE}?show=all").content.decode()
    assert everything.count(">kept<") == 2 and everything.count(">rejected<") == 1


def test_without_a_choice_nothing_happens_and_the_page_says_so(admin: Client, written: Agent) -> None:
    answer = admin.post(PAGE, {"do": "reject", "note": ["x", "-1"]}, follow=True)
    assert "Choose 1 to 200 notes." in answer.content.decode() and learned(written).waiting == 3


def test_a_viewer_sees_and_decides_nothing(viewer: Client, written: Agent) -> None:
    assert 'type="checkbox"' not in viewer.get(PAGE).content.decode()
    assert viewer.post(PAGE, {"do": "keep-all", "shown": ids(written)}).status_code == 403
    assert learned(written).waiting == 3


def test_queries_do_not_grow_with_the_notes(
    admin: Client, written: Agent, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        admin.get(PAGE)
