"""Prompts of chat apps beside the conversation, as the apps send them, and what people write themselves."""

from __future__ import annotations

import pytest

from memory_appliance.chat_proxy.side_requests import is_side_request

SIDE = [
    (
        "user",
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:",
    ),
    ("user", "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with"),
    ("user", "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next"),
    ("user", "### Task:\nName it as a pirate would.\n<chat_history>\nUSER: hi\n</chat_history>"),
    (
        "user",
        [{"type": "text", "text": "Provide a concise, 5-word-or-less title for the conversation, using title case"}],
    ),
    (
        "user",
        "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise title",
    ),
    ("system", "You are a professional conversation summarizer. Generate a concise title that captures the essence"),
    ("system", "你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题"),
    ("user", "Please generate a four to five word title summarizing our conversation without any lead-in, punctuation"),
]
OWN = [
    "Generate a concise title for my novel about a lighthouse.",
    "### Task:\nRespond to the user query using the provided context, incorporating citations.\n<context>a</context>",
    "Suggest three follow-up questions for my interview.",
    "### Task: water the plants. Where did I write how often?",
]


@pytest.mark.parametrize(("role", "content"), SIDE)
def test_what_an_app_asks_for_itself_is_told(role: str, content: object) -> None:
    turn = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", "content": "There."}]
    asked = {"role": role, "content": content}
    assert is_side_request({"messages": [asked, *turn] if role == "system" else [*turn, asked]})


@pytest.mark.parametrize("text", OWN)
def test_what_a_person_writes_is_a_turn(text: str) -> None:
    system = {"role": "system", "content": "You are a kind summarizer."}
    assert not is_side_request({"messages": [system, {"role": "user", "content": text}]})
    quoted = {"role": "user", "content": SIDE[0][1]}
    assert not is_side_request(
        {"messages": [quoted, {"role": "assistant", "content": "A"}, {"role": "user", "content": text}]}
    )
