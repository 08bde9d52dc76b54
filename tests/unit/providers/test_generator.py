"""Chat completions: what is asked, what is taken from the answer, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from search.errors import GeneratorUnavailable
from search.runtime.protocols import Message
from search.runtime.providers.address import Address
from search.runtime.providers.generator import RemoteGenerator, without_thoughts
from tests.unit.providers.conftest import KEY, Serve
from tests.unit.providers.vendors import Said, VendorServer

TALK = [Message("system", "Be short."), Message("user", "Where is the key?")]


def generator_at(server: VendorServer) -> RemoteGenerator:
    return RemoteGenerator(Address("openai", server.url, KEY), "m", path="/chat/completions")


def says(content: Any) -> Said:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return Said({"id": "1", "object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 9}})


def test_a_conversation_is_asked_and_its_answer_returned(serve: Serve) -> None:
    server = serve(lambda asked: says("Under the pot."))
    assert generator_at(server).generate(TALK, max_tokens=50, timeout=5) == "Under the pot."
    assert server.asked[0].path == "/chat/completions"
    assert server.asked[0].body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Where is the key?"},
        ],
        "stream": False,
        "max_tokens": 50,
        "temperature": 0,
    }


def test_a_schema_is_passed_on(serve: Serve) -> None:
    server = serve(lambda asked: says("{}"))
    schema = {"type": "object", "properties": {"facts": {"type": "array"}}}
    generator_at(server).generate(TALK, max_tokens=50, timeout=5, json_schema=schema)
    assert server.asked[0].body["response_format"]["json_schema"]["schema"] == schema


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>\nhm\n</think>\n\nYes.", "Yes."),
        ("<think></think>Yes.", "Yes."),
        ("<think>was cut off", ""),
        ("Yes <thinking> no", "Yes <thinking> no"),
    ],
)
def test_thoughts_are_left_out(text: str, left: str) -> None:
    assert without_thoughts(text) == left


@pytest.mark.parametrize(
    "said",
    [
        says(None),
        says([{"type": "text", "text": "x"}]),
        Said({"choices": []}),
        Said({"error": {"message": "no such model", "code": "model_not_found"}}, 404),
        Said({"error": {"message": "insufficient_quota", "code": "insufficient_quota"}}, 429),
        Said({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, 429),
        Said([]),
    ],
)
def test_what_cannot_be_used_is_an_error_with_its_class(serve: Serve, said: Said) -> None:
    server = serve(lambda asked: said)
    with pytest.raises(GeneratorUnavailable, match="openai failed") as error:
        generator_at(server).generate(TALK, max_tokens=50, timeout=5)
    assert error.value.kind
    assert len(server.asked) == 1
