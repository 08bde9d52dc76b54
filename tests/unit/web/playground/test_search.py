"""The playground: ways side by side, each score explained, scope as a chat has it, and what to try when empty."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.access.users import create_user
from agents.models import Agent, AuditEvent, UsedEntry
from agents.registry.agents import update_agent
from agents.registry.collections import create_collection
from tests import cast
from tests.unit.web.markup import squeezed

HTMX = {"HX-Request": "true"}


def page(client: Client, query: str, **headers: str) -> str:
    answer = client.get(f"/agents/al/search{query}", headers=headers)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def results(client: Client, query: str) -> str:
    return page(client, query).split('id="results"')[1].split("choose=1")[0]


def test_without_script_every_way_is_on_the_page(admin: Client, al: Agent) -> None:
    found = results(admin, "?q=blue+pot&mode=search&mode=vsearch&mode=hybrid&mode=query")
    assert found.count('class="way"') == 4 == found.count("1 result in")
    assert squeezed(found).count("under the<mark>blue</mark><mark>pot</mark>.") == 4


def test_while_one_types_the_first_way_answers_and_the_others_are_asked_for(admin: Client, al: Agent) -> None:
    found = page(admin, "?q=pot&mode=search&mode=hybrid", **HTMX)
    assert found.count("1 result in") == 1 and 'hx-get="?q=pot&mode=search&mode=hybrid&only=hybrid"' in found
    assert '<a href="?q=pot&mode=hybrid">' in found  # the link that does it without script
    part = page(admin, "?q=pot&mode=search&mode=hybrid&only=hybrid", **HTMX)
    assert 'id="column-hybrid"' in part and 'id="column-search"' not in part and "<html" not in part


def test_going_back_brings_the_whole_page(admin: Client, al: Agent) -> None:
    found = page(admin, "?q=pot&mode=search&mode=hybrid", **HTMX, **{"HX-History-Restore-Request": "true"})
    assert "<html" in found and found.count("1 result in") == 2


def test_the_address_to_share_says_what_differs_from_the_defaults(admin: Client, al: Agent) -> None:
    answer = admin.get("/agents/al/search?q=pot&limit=3&corpus=memory&min_score=&intent=&session=", headers=HTMX)
    assert answer["HX-Replace-Url"] == "/agents/al/search?q=pot&mode=hybrid&limit=3"


def test_a_result_leads_to_its_lines_and_explains_its_score(admin: Client, al: Agent) -> None:
    found = results(admin, "?q=blue+pot&explain=on")
    assert '<a href="/agents/al/file?path=MEMORY.md&lines=1-4#L1">' in found
    assert "<details open>" in found and "1.00 × 1.000 + 0.00 × 0.000" in found


def test_an_arithmetic_that_passes_one_says_what_is_shown(admin: Client, db: None, data_dir: object) -> None:
    cast.index(cast.agent_with("al", {"MEMORY.md": "- The pot is blue. <!-- importance: 10 -->\n"}))
    found = results(admin, "?q=pot&mode=search")
    assert "1.000 × 1.000 × 1.250" in found and "at most 1" in found


def test_collections_are_chosen_where_there_are_several(admin: Client, al: Agent) -> None:
    assert 'name="collection"' not in page(admin, "?q=pot")
    create_collection(actor=cast.OWNER, agent=al, name="recipes", path="recipes")
    cast.write_files(al, {"recipes/soup.md": "A pot of soup.\n"})
    cast.index(al)
    assert "2 results in" in results(admin, "?q=pot")
    text = squeezed(page(admin, "?q=pot&collection=recipes"))
    assert "1 result in" in text and '<span class="tag"><bdi>recipes</bdi></span>' in text
    assert 'value="recipes" checked' in text and 'value="memory" checked' not in text


def test_what_was_missing_on_the_way_is_said(admin: Client, al: Agent) -> None:
    found = results(admin, "?q=pot&mode=hybrid")
    assert "this search used words only. <small>(no embedding model is configured" in found


@pytest.mark.parametrize(
    ("query", "link"),
    [
        ("?q=zebra&mode=search", "?q=zebra&mode=hybrid"),
        ("?q=zebra&min_score=0.9", "?q=zebra&mode=hybrid&min_score=0.0"),
        ("?q=zebra&collection=memory", "?q=zebra&mode=hybrid"),
        ('?q="zebra"', "?q=+zebra+&mode=hybrid"),
    ],
)
def test_an_empty_result_says_why_and_what_to_try(admin: Client, al: Agent, query: str, link: str) -> None:
    found = results(admin, query)
    assert "Nothing found" in found and "No note matches these words" in found and f'<a href="{link}">' in found


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("?q=...", "no words to search for"),
        ("?q=zebra", "No note matches these words"),
        ("?q=blue+elephants+in+Alaska+dance+tango&abstain=on", "The best passage scores 0."),
    ],
)
def test_the_reason_is_a_sentence_of_the_page(admin: Client, al: Agent, query: str, reason: str) -> None:
    assert reason in results(admin, query)


def test_a_memory_without_text_says_so(admin: Client, db: None, data_dir: object) -> None:
    cast.index(cast.agent_with("al", {}))
    assert "This memory has no text yet." in results(admin, "?q=pot")


def test_an_index_that_is_not_there_yet_is_no_empty_result(admin: Client, db: None, data_dir: object) -> None:
    cast.agent_with("al", {})
    found = results(admin, "?q=pot")
    assert 'class="state error"' in found and "Nothing found" not in found


def test_as_a_chat_the_rules_decide_and_the_page_names_the_rule(admin: Client, al: Agent) -> None:
    allowed = results(admin, "?q=pot&session=agent:main:telegram:direct:42")
    assert "private chat. Rule 1 allows it." in allowed and "1 result in" in allowed
    denied = results(admin, "?q=pot&session=agent:main:telegram:group:7")
    assert "group. No rule matches" in denied and "blue" not in denied
    assert "is denied" in results(admin, "?q=pot&session=agent:main:telegram:direct:42&chat_type=group")


def test_trying_things_out_leaves_no_denial_and_no_use(admin: Client, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"consolidate_enabled": True})
    results(admin, "?q=pot&session=agent:main:telegram:group:7")
    assert "1 result in" in results(admin, "?q=pot")
    assert not AuditEvent.objects.filter(action="search.denied").exists() and not UsedEntry.objects.exists()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?q=pot&limit=0", "Maximum results"),
        ("?q=pot&limit=many", "Maximum results"),
        ("?q=pot&min_score=2", "Minimum score"),
        ("?q=pot&mode=magic", "Search modes"),
        ("?q=pot&collection=nowhere", "Collections"),
        ("?q=pot&chat_type=king", "Chat type"),
    ],
)
def test_a_choice_that_cannot_be_used_is_named_and_nothing_is_searched(
    admin: Client, al: Agent, query: str, field: str
) -> None:
    found = results(admin, query)
    assert f"<li>{field}: " in found and 'class="way"' not in found


def test_a_memory_that_is_off_says_so(admin: Client, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"memory_enabled": False})
    assert "The memory of agent al is switched off." in results(admin, "?q=pot")


def test_typed_lines_that_contradict_themselves_are_explained_in_their_column(admin: Client, al: Agent) -> None:
    found = results(admin, "?q=lex:&mode=search&mode=query")
    assert "Line 1 is empty after lex:" in found and found.count('class="way"') == 2


@pytest.mark.parametrize("query", ["?q=", "?q=+++", "?q=%00", "?q=🙂🙂", "?q=" + "x" * 5000, "?q=%22", "?q=%ff%fe"])
def test_any_text_can_be_asked(admin: Client, al: Agent, query: str) -> None:
    assert 'id="results"' in page(admin, query)


def test_notes_cannot_break_the_page(admin: Client, data_dir: object, db: None) -> None:
    agent = cast.agent_with(
        "al", {"MEMORY.md": "- pot <script>alert(1)</script> \u202egnihton\u202c [2J\n" + "x" * 50_000}
    )
    cast.index(agent)
    raw = admin.get("/agents/al/search?q=pot").content.decode()
    assert "<script>alert" not in raw and "&lt;script&gt;" in raw and "⟨U+202E⟩" in raw
    assert len(raw) < 60_000


def test_a_member_searches_their_agent_and_a_guest_nothing(client: Client, guest: Client, al: Agent) -> None:
    assert guest.get("/agents/al/search?q=pot").status_code == 404 and guest.get("/search").status_code == 403
    member = Client()
    member.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    assert "1 result in" in results(member, "?q=pot")
    assert "See the rules" not in results(member, "?q=pot&session=x")  # which takes the role admin


def test_the_way_to_an_agent(admin: Client, al: Agent) -> None:
    assert admin.get("/search?q=pot")["Location"] == "/agents/al/search?q=pot"  # the only one
    other = cast.agent_with("bo", {})
    assert b"Choose an agent" in admin.get("/search?q=pot").content
    assert admin.get("/search?q=pot&agent=bo")["Location"] == "/agents/bo/search?q=pot"
    admin.get(f"/agents/{other.slug}/search")
    assert admin.get("/search")["Location"] == "/agents/bo/search"  # the one searched last
    assert b'href="/agents/al/search?q=pot"' in admin.get("/search?q=pot&choose=1").content


def test_an_owner_without_agents_is_led_to_the_first_one(admin: Client) -> None:
    assert b"No agents yet" in admin.get("/search").content


def test_a_cookie_of_an_agent_of_others_leads_nowhere(client: Client, al: Agent, al_2: Agent) -> None:
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    client.cookies["agent"] = "al-2"
    assert client.get("/search")["Location"] == "/agents/al/search"


@pytest.mark.parametrize("notes", [2, 20])
def test_queries_do_not_grow_with_the_results(
    admin: Client, db: None, data_dir: object, notes: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    files = {f"memory/{number}.md": f"The pot of house {number} is blue.\n" for number in range(notes)}
    cast.index(cast.agent_with("al", files))
    results(admin, "?q=pot")
    with django_assert_num_queries(7):
        assert f"{notes} results in" in results(admin, "?q=pot&limit=20&mode=search")
