"""Chats on their pages: names, bubbles, what the agent was given, search, export, deletion; and who may see them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils.translation import override

from agents.access.roles import Role
from agents.access.sessions import Session
from agents.access.users import create_user
from agents.memory.recall_events import session_digest
from agents.models import Agent, Flush, RecallEvent, Transcript
from agents.registry.collections import delete_collection
from agents.transcripts import reset_session, store_turns
from memory_appliance.web.chats.names import chat_name
from search.documents.transcripts import Turn
from tests import cast

KEY = "agent:al:telegram:direct:Mara42"
CHAT = f"/agents/al/chat?session={quote(KEY)}"


def turn(number: int, text: str, at: str, role: str = "user") -> Turn:
    return Turn(role, text, id=str(number), at=at)


@pytest.fixture
def chat(al: Agent) -> Transcript:
    turns = [
        turn(1, "Where is the spare key? <script>x</script> \x1b[31m", "2026-11-29T20:00:00Z"),
        turn(2, "Under the blue pot.", "2026-11-29T20:00:05Z", "assistant"),
        turn(3, "Thanks, good night!", "2026-11-30T21:00:00Z"),
    ]
    store_turns(agent=al, session_key=KEY, turns=turns)
    return Transcript.objects.get()


def words(page: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.decode()))


def member(role: Role) -> Client:
    client = Client()
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": role}))
    return client


@pytest.mark.parametrize(
    ("key", "title", "kind"),
    [
        (KEY, "Telegram · Mara42", "private chat"),
        ("agent:al:main", "Main chat", "private chat"),
        ("agent:al:direct:bob", "bob", "private chat"),
        ("agent:al:whatsapp:work:group:120:thread:7", "Whatsapp · work · 120 · thread 7", "group"),
        ("agent:al:cron:morning", "morning", "scheduled job"),
        ("agent:al:main:heartbeat", "Main chat", "heartbeat"),
        ("something else\u202e", "something else⟨U+202E⟩", "unknown"),
        ("", "", "unknown"),
    ],
)
def test_a_chat_is_named_by_its_key_in_words(key: str, title: str, kind: str) -> None:
    with override("en"):
        name = chat_name(key)
        assert (name.title, str(name.kind)) == (title, kind)


def test_the_list_names_the_chats_with_their_last_words(admin: Client, chat: Transcript) -> None:
    page = admin.get("/agents/al/chats").content
    assert "Telegram · Mara42 Thanks, good night!" in words(page) and "private chat 3 messages" in words(page)
    assert "Telegram · Mara42" in words(admin.get("/agents/al/chats?q=mara").content)
    assert "No chats found" in words(admin.get("/agents/al/chats?q=nobody").content)


def test_a_list_without_chats_says_how_they_come(admin: Client, al: Agent) -> None:
    assert "No chats yet" in words(admin.get("/agents/al/chats").content)


def test_messages_are_bubbles_by_day_and_nothing_in_them_runs(admin: Client, chat: Transcript) -> None:
    page = admin.get(CHAT).content.decode()
    assert page.count('class="bub mine"') == 2 and page.count('class="bub its"') == 1
    assert page.count('class="dayline"') == 2
    assert "<script>x" not in page and "\x1b" not in page and "⟨U+001B⟩" in page


def test_what_the_agent_was_given_stands_between_the_messages(admin: Client, al: Agent, chat: Transcript) -> None:
    source = {"path": "MEMORY.md", "start_line": 3, "end_line": 3}
    event = RecallEvent.objects.create(
        agent=al, session=session_digest(Session(KEY)), status="ok", reason="found", elapsed_ms=34, sources=[source]
    )
    RecallEvent.objects.create(agent=al, session="0" * 64, status="ok", reason="found", elapsed_ms=77)
    Flush.objects.create(agent=al, session_key=KEY, cycle="1", method="cues", written=3)
    RecallEvent.objects.update(at=datetime(2026, 11, 29, 20, 0, 2, tzinfo=UTC))
    Flush.objects.update(at=datetime(2026, 11, 30, 10, tzinfo=UTC))
    text = words(admin.get(CHAT).content)
    parts = [
        "spare key?",
        "was given 1 note · 34 ms",
        "MEMORY.md#L3",
        "blue pot",
        "Flush: 3 notes written",
        "good night",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places) and "77 ms" not in text
    assert f"/agents/al/recall/{event.public_id}" in admin.get(CHAT).content.decode()


def test_a_reset_stands_where_it_happened(admin: Client, al: Agent, chat: Transcript) -> None:
    reset_session(agent=al, caller=cast.TRUSTED, session_key=KEY)
    assert words(admin.get(CHAT).content).count("The chat was reset here") == 1
    store_turns(agent=al, session_key=KEY, turns=[turn(4, "Hello again", "2026-12-01T08:00:00Z")])
    text = words(admin.get(CHAT).content)
    assert text.index("good night") < text.index("The chat was reset here") < text.index("Hello again")


def test_a_long_chat_is_shown_from_its_end(admin: Client, al: Agent) -> None:
    store_turns(agent=al, session_key=KEY, turns=[turn(n, f"word{n}.", "2026-11-30T08:00:00Z") for n in range(120)])
    page = admin.get(CHAT).content.decode()
    assert "word119." in page and "word69." not in page
    place = re.search(r"before=(\d+-\d+)", page)
    assert place is not None
    older = admin.get(f"{CHAT}&before={place[1]}").content.decode()
    assert "word69." in older and "word70." not in older and "Newest messages" in older
    for nonsense in ("before=x", "before=99-1", "after=5-5", "before=" + "9" * 40 + "-1", "after=0-0"):
        assert admin.get(f"{CHAT}&{nonsense}").status_code == 200, nonsense


def test_search_inside(admin: Client, chat: Transcript) -> None:
    text = words(admin.get(f"{CHAT}&q=SPARE+key").content)
    assert "spare key?" in text and "good night" not in text
    assert "No message holds all of these words" in words(admin.get(f"{CHAT}&q=giraffe").content)


def test_export_has_all_that_is_shown(admin: Client, chat: Transcript) -> None:
    export = CHAT.replace("/chat?", "/chat/export?")
    answer = admin.get(f"{export}&format=jsonl")
    lines = [json.loads(line) for line in b"".join(answer).decode().splitlines()]
    assert [line["role"] for line in lines] == ["user", "assistant", "user"]
    assert lines[1] == {"role": "assistant", "text": "Under the blue pot.", "at": "2026-11-29T20:00:05+00:00"}
    assert answer["Content-Disposition"].startswith("attachment") and answer["Cache-Control"] == "no-store"
    text = b"".join(admin.get(f"{export}&format=md")).decode()
    assert text.index("## 2026-11-29") < text.index("Under the blue pot.") < text.index("## 2026-11-30")


def test_deletion_says_what_goes_and_what_stays_first(admin: Client, chat: Transcript) -> None:
    address = CHAT.replace("/chat?", "/chat/delete?")
    text = words(admin.get(address).content)
    assert "3 messages are deleted" in text and "What stays: Backups" in text and Transcript.objects.exists()
    done = admin.post("/agents/al/chat/delete", {"session": KEY, "confirmed": "yes"}, follow=True)
    assert "Chat deleted: Telegram · Mara42" in words(done.content) and not Transcript.objects.exists()
    assert admin.get(CHAT).status_code == 404


def test_a_viewer_reads_and_does_not_delete(chat: Transcript) -> None:
    viewer = member("view")
    page = viewer.get(CHAT).content.decode()
    assert "blue pot" in page and "chat/delete" not in page
    assert viewer.post("/agents/al/chat/delete", {"session": KEY, "confirmed": "yes"}).status_code == 403
    assert Transcript.objects.exists()


def test_without_their_collection_chats_are_for_admins(admin: Client, al: Agent, chat: Transcript) -> None:
    delete_collection(actor=cast.OWNER, collection=al.collections.get(kind="sessions"))
    viewer = member("view")
    listed = words(viewer.get("/agents/al/chats").content)
    assert "Chats aren't shown" in listed.replace("&#x27;", "'") and "Mara42" not in listed
    assert viewer.get(CHAT).status_code == 403
    assert viewer.get(CHAT.replace("/chat?", "/chat/export?")).status_code == 403
    assert admin.get(CHAT).status_code == 200


@pytest.mark.parametrize("session", ["", "agent:al:main", "agent:al-2:telegram:direct:7", "\x00", "é" * 3000])
def test_a_chat_that_is_not_there(admin: Client, chat: Transcript, session: str) -> None:
    for page in ("chat", "chat/export", "chat/delete"):
        assert admin.get(f"/agents/al/{page}", {"session": session}).status_code == 404
