"""Which chat a request belongs to, and which of its messages are new."""

from __future__ import annotations

from typing import Any

import pytest

from agents.access.sessions import derive
from memory_appliance.chat_proxy.conversation import (
    MAX_KEPT_TOTAL,
    Conversation,
    read_conversation,
    session_key,
    with_block,
)

Lines = list[tuple[str, Any]]
TALK: Lines = [("user", "ok"), ("assistant", "Fine."), ("user", "ok"), ("assistant", "Sure."), ("user", "Where is it?")]


def request(lines: Lines) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": role, "content": content} for role, content in lines]}


def read(lines: Lines) -> Conversation:
    found = read_conversation(request(lines))
    assert found is not None
    return found


def new_ids(before: Lines, reply: str, after: Lines) -> list[str]:
    """The texts that are new after a request of `before` was answered with `reply`."""
    known = {turn["id"] for turn in read(before).turns(reply)}
    return [turn["text"] for turn in read(after).turns("") if turn["id"] not in known]


def test_history_that_is_sent_again_brings_nothing_new() -> None:
    assert new_ids(TALK, "There.", [*TALK, ("assistant", "There."), ("user", "Thanks")]) == ["Thanks"]
    assert new_ids(TALK, "There.", TALK) == []
    thought = "<think>Hm.</think>\n\nThere."
    assert new_ids(TALK, thought, [*TALK, ("assistant", "There. "), ("user", "Thanks")]) == ["Thanks"]


def test_an_edited_message_is_the_only_new_one() -> None:
    edited: Lines = [*TALK[:1], ("assistant", "Not fine."), *TALK[2:]]
    assert new_ids(TALK, "There.", edited) == ["Not fine."]
    assert new_ids(TALK, "There.", [*TALK[:-1], ("user", "Where was it?")]) == ["Where was it?"]


def test_words_that_are_said_twice_are_two_messages() -> None:
    assert [turn["text"] for turn in read(TALK).turns("ok")].count("ok") == 3
    assert len({turn["id"] for turn in read(TALK).turns("ok")}) == 6


def test_only_what_is_new_has_a_time_and_a_call_is_never_too_large() -> None:
    turns = read([("user", "é" * 90_000) for _ in range(9)]).turns("x" * 300_000)
    assert sum(len(turn["text"]) for turn in turns) <= MAX_KEPT_TOTAL and len(turns) == 2
    assert ["at" in turn for turn in read(TALK).turns("There.")] == [False] * 4 + [True] * 2


def test_images_stay_and_the_block_stands_in_front_of_the_latest_message() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    lines: Lines = [("user", "One"), ("assistant", None), ("user", [image, {"type": "text", "text": "Two"}])]
    asked = {**request(lines), "seed": 7}
    found = read_conversation(asked)
    assert found is not None and found.last.text == "Two" and found.first == "One"
    changed = with_block(asked, found, "BLOCK")
    assert changed["messages"][2]["content"] == [{"type": "text", "text": "BLOCK"}, *lines[2][1]]
    assert changed["messages"][:2] == asked["messages"][:2] and changed["seed"] == 7
    assert with_block(request(lines[:1]), read(lines[:1]), "BLOCK")["messages"][0]["content"] == "BLOCK\n\nOne"


@pytest.mark.parametrize(
    "body",
    [{}, {"messages": None}, {"messages": ["x", {"role": "user"}, {"role": "user", "content": [1, {"text": 2}]}]}],
)
def test_what_has_no_words_of_a_user_is_no_conversation(body: dict[str, Any]) -> None:
    assert read_conversation(body) is None


@pytest.mark.parametrize("user", ["eva", "Eva Ström", "a:group:b", "x:heartbeat", "global", "9" * 500, "梅"])
def test_a_user_has_a_direct_chat_that_no_name_breaks_out_of(user: str) -> None:
    for chat in ("", "chat 1:group:2"):
        derived = derive(session_key("al", user=user, chat=chat, first="hello"))
        assert (derived.chat_type, derived.channel) == ("direct", "openai") and len(derived.name) < 400


def test_without_a_user_the_chat_is_told_by_its_name_or_first_message_and_is_not_direct() -> None:
    keys = {session_key("al", user="", chat=chat, first=first) for chat in ("", "c1") for first in ("a", "b")}
    assert len(keys) == 3 and {derive(key).chat_type for key in keys} == {"explicit"}
