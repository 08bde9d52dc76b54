"""The trigger phrases with the notes they call up, where these stand, and what is wrong with them."""

from __future__ import annotations

from html import unescape

from django.test import Client

from agents.models import Agent
from tests import cast


def shown(client: Client, query: str = "") -> str:
    answer = client.get(f"/agents/al/recall/triggers{query}")
    assert answer.status_code == 200
    return unescape(answer.content.decode()).split('id="triggers"')[1]


def test_each_phrase_stands_with_its_note_and_its_place(admin: Client, keeper: Agent) -> None:
    found = shown(admin)
    assert "<bdi>spare key</bdi>" in found and "<bdi>备用钥匙</bdi>" in found and "under the blue pot" in found
    assert 'href="/agents/al/file?path=MEMORY.md' in found and "importance 7" in found


def test_what_is_wrong_is_said_and_can_be_picked_out(admin: Client, keeper: Agent) -> None:
    found = shown(admin, "?flawed=on")
    assert "Never fires" in found and "猫" in found and "spare key" not in found


def test_phrases_and_notes_are_searched(admin: Client, keeper: Agent) -> None:
    assert "备用钥匙" in shown(admin, "?q=BLUE") and "猫" not in shown(admin, "?q=BLUE")
    assert "No phrases found" in shown(admin, "?q=zebra")


def test_without_phrases_it_says_how_to_write_one(admin: Client, al: Agent) -> None:
    assert "No trigger phrases yet" in shown(admin)


def test_without_an_index_it_says_so(admin: Client, db: None, data_dir: object) -> None:
    cast.agent_with("al", {})
    assert "The phrases can't be read" in shown(admin)


def test_thousands_come_in_pages(admin: Client, db: None, data_dir: object) -> None:
    lines = [f"- Note {number}. <!-- trigger: phrase number{number} -->" for number in range(250)]
    agent = cast.agent_with("al", {"MEMORY.md": "\n".join(lines) + "\n"})
    cast.index(agent)
    first, last = shown(admin), shown(admin, "?page=3")
    assert first.count("<tr data-item>") == 100 and last.count("<tr data-item>") == 50
    assert '"?page=2" rel="next"' in first and 'rel="next"' not in last and '"?page=2" rel="prev"' in last


def test_a_page_number_that_is_none_is_harmless(admin: Client, keeper: Agent) -> None:
    for query in ("?page=0", "?page=x", "?page=99999"):
        assert "<tr data-item>" not in shown(admin, query)


def test_phrases_cannot_break_the_page(admin: Client, db: None, data_dir: object) -> None:
    note = "- <img src=x onerror=alert(1)> \u202e <!-- trigger: <b>bold words</b> -->\n"
    cast.index(cast.agent_with("al", {"MEMORY.md": note}))
    raw = admin.get("/agents/al/recall/triggers").content.decode()
    assert "<img src=x" not in raw and "<b>bold" not in raw and "⟨U+202E⟩" in raw
