"""How each provider is asked to write: its call, its own parameter for thinking, and where its answer lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from search.runtime.protocols import Message, Thinking
from search.runtime.providers.vendor import bearer

_OWN_LIMIT_NAME = "https://api.openai.com/"


class Chat(Protocol):
    """`text` takes a parsed answer apart and raises KeyError, TypeError or IndexError on nonsense."""

    def headers(self, key: str) -> Mapping[str, str]: ...

    def request(
        self,
        base_url: str,
        model: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        json_schema: Mapping[str, Any] | None,
        thinking: Thinking,
    ) -> tuple[str, dict[str, Any]]:
        """Path below the address, and body."""
        ...

    def text(self, answer: Any) -> Any: ...


class OpenAIChat:
    """https://platform.openai.com/docs/api-reference/chat; `reasoning_effort` is sent only when thinking is wanted,
    because models that do not reason refuse it. `reasons`: the provider has that parameter."""

    def __init__(self, *, reasons: bool = True) -> None:
        self._reasons = reasons

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self,
        base_url: str,
        model: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        json_schema: Mapping[str, Any] | None,
        thinking: Thinking,
    ) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {"model": model, "messages": _plain(messages), "stream": False}
        if base_url.startswith(_OWN_LIMIT_NAME):
            # OpenAI's newer models refuse both the old name of the limit and a temperature.
            body["max_completion_tokens"] = max_tokens
        else:
            body |= {"max_tokens": max_tokens, "temperature": 0}
        if json_schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": json_schema, "strict": True},
            }
        if self._reasons and thinking != "off":
            body["reasoning_effort"] = thinking
        return "/chat/completions", body

    def text(self, answer: Any) -> Any:
        return answer["choices"][0]["message"]["content"]


class OllamaChat:
    """https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion

    `think` is a level for gpt-oss, which knows no other, and yes or no for the rest; no spares models that think by
    default the time.
    """

    def headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def request(
        self,
        base_url: str,
        model: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        json_schema: Mapping[str, Any] | None,
        thinking: Thinking,
    ) -> tuple[str, dict[str, Any]]:
        levels = model.startswith("gpt-oss")
        body: dict[str, Any] = {
            "model": model,
            "messages": _plain(messages),
            "stream": False,
            "think": ("low" if thinking == "off" else thinking) if levels else thinking != "off",
            "options": {"num_predict": max_tokens, "temperature": 0},
        }
        if json_schema is not None:
            body["format"] = json_schema
        return "/api/chat", body

    def text(self, answer: Any) -> Any:
        return answer["message"]["content"]


class GeminiChat:
    """https://ai.google.dev/api/generate-content

    Thoughts count as output there, so the limit grows by their budget.
    """

    BUDGETS: Mapping[Thinking, int] = {"off": 0, "low": 1024, "medium": 4096, "high": 8192}
    LEAST_OF_PRO = 128
    """Models named pro cannot be kept from thinking."""

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def request(
        self,
        base_url: str,
        model: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        json_schema: Mapping[str, Any] | None,
        thinking: Thinking,
    ) -> tuple[str, dict[str, Any]]:
        budget = max(self.BUDGETS[thinking], self.LEAST_OF_PRO if "pro" in model else 0)
        settings: dict[str, Any] = {"maxOutputTokens": max_tokens + budget, "temperature": 0}
        if model.startswith(("gemini-2.5", "gemini-3")):  # earlier models refuse it
            settings["thinkingConfig"] = {"thinkingBudget": budget}
        if json_schema is not None:
            settings |= {"responseMimeType": "application/json", "responseJsonSchema": json_schema}
        body: dict[str, Any] = {
            "contents": [
                {"role": "model" if row["role"] == "assistant" else "user", "parts": [{"text": row["content"]}]}
                for row in _plain(messages)
                if row["role"] != "system"
            ],
            "generationConfig": settings,
        }
        told = [{"text": row["content"]} for row in _plain(messages) if row["role"] == "system"]
        return f"/models/{model}:generateContent", {**body, "systemInstruction": {"parts": told}} if told else body

    def text(self, answer: Any) -> Any:
        parts = answer["candidates"][0]["content"]["parts"]
        return "".join(part["text"] for part in parts if not part.get("thought"))


def _plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text.encode("utf-8", "replace").decode()} for message in messages]
