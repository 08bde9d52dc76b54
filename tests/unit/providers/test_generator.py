"""Chat completions: what is asked, what is taken from the answer, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from search.errors import GeneratorUnavailable
from search.runtime.protocols import Message
from search.runtime.providers.address import Address
from search.runtime.providers.chat import OpenAIChat
from search.runtime.providers.generator import RemoteGenerator, without_thoughts
from search.runtime.providers.table import WRITING
from tests.unit.providers.conftest import KEY, Serve
from tests.unit.providers.vendors import Said, VendorServer

OPENAI = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Under the pot."}, "finish_reason": "stop"}]
}
OLLAMA = {"model": "m", "message": {"role": "assistant", "content": "Under the pot.", "thinking": "Hm."}, "done": True}
GEMINI = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Under the pot."}]}}
    ]
}
FLASH = "/models/gemini-2.5-flash:generateContent"
TALK = [Message("system", "Be short."), Message("user", "Where is the key?")]


def generator_at(server: VendorServer) -> RemoteGenerator:
    return RemoteGenerator(Address("openai", server.url, KEY), "m", OpenAIChat())


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


@pytest.mark.parametrize(
    ("provider", "model", "thinking", "path", "asked", "answer"),
    [
        ("openai", "o4-mini", "medium", "/chat/completions", {"reasoning_effort": "medium"}, OPENAI),
        ("openai", "gpt-4.1-mini", "off", "/chat/completions", {"reasoning_effort": None}, OPENAI),
        ("mistral", "m", "high", "/chat/completions", {"reasoning_effort": None}, OPENAI),
        ("ollama", "qwen3:1.7b", "off", "/api/chat", {"think": False}, OLLAMA),
        ("ollama", "qwen3:1.7b", "low", "/api/chat", {"think": True}, OLLAMA),
        ("ollama", "gpt-oss:20b", "high", "/api/chat", {"think": "high"}, OLLAMA),
        ("ollama", "gpt-oss:20b", "off", "/api/chat", {"think": "low"}, OLLAMA),
        (
            "gemini",
            "gemini-2.5-flash",
            "off",
            FLASH,
            {"thinkingBudget": 0},
            GEMINI,
        ),
        ("gemini", "gemini-2.5-pro", "off", "/models/gemini-2.5-pro:generateContent", {"thinkingBudget": 128}, GEMINI),
        (
            "gemini",
            "gemini-2.5-flash",
            "low",
            FLASH,
            {"thinkingBudget": 1024},
            GEMINI,
        ),
        (
            "gemini",
            "gemini-2.0-flash",
            "low",
            FLASH.replace("2.5", "2.0"),
            {"thinkingBudget": None},
            GEMINI,
        ),
    ],
)
def test_each_provider_is_told_in_its_own_parameter_how_much_to_think(
    serve: Serve, provider: str, model: str, thinking: Any, path: str, asked: dict[str, Any], answer: Any
) -> None:
    server = serve(lambda _: Said(answer))
    generator = RemoteGenerator(Address(provider, server.url, KEY), model, WRITING[provider])
    schema = {"type": "object"}
    text = generator.generate(TALK, max_tokens=50, timeout=5, json_schema=schema, thinking=thinking)
    assert text == "Under the pot." and server.asked[0].path == path
    body = server.asked[0].body
    settings = body.get("generationConfig", {})
    seen = {**body, **settings.get("thinkingConfig", {})}
    assert {name: seen.get(name) for name in asked} == asked
    assert "Where is the key?" in str(body) and "Be short." in str(body) and str(schema) in str(body)
    header = "x-goog-api-key" if provider == "gemini" else "authorization"
    assert KEY in server.asked[0].headers[header]
    if provider == "gemini":
        assert settings["maxOutputTokens"] == 50 + (asked["thinkingBudget"] or (1024 if thinking == "low" else 0))
