"""RemoteGenerator: chat completions as OpenAI defined them, which every other provider of ours speaks too."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from search.errors import GeneratorUnavailable
from search.runtime.protocols import Message
from search.runtime.providers.address import Address
from search.runtime.providers.failures import ProviderFailed
from search.runtime.providers.http import Endpoint
from search.runtime.providers.rest import Rest
from search.runtime.providers.vendor import bearer
from search.sentences import sentence

_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_OWN_LIMIT_NAME = "https://api.openai.com/"


class RemoteGenerator:
    """Safe from any number of threads. What a model thinks aloud before its answer is left out."""

    def __init__(self, address: Address, model: str, *, path: str) -> None:
        self._address = address
        self._model = model
        self._path = path
        self._endpoint = Endpoint(address, headers=bearer(address.key))
        self._rest = Rest()

    @property
    def name(self) -> str:
        return f"{self._address.provider}:{self._model}"

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
    ) -> str:
        end = time.monotonic() + timeout
        try:
            self._rest.check()
            answer = self._endpoint.post(
                self._path, self._body(messages, max_tokens, json_schema), end=end, patient=False
            )
            text = self._text(answer)
        except ProviderFailed as failure:
            self._rest.after(failure)
            raise GeneratorUnavailable(
                failure.message, hint=failure.hint, kind=failure.kind, wait_seconds=failure.wait_seconds
            ) from failure
        self._rest.over()
        return text

    def _body(
        self, messages: Sequence[Message], max_tokens: int, json_schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": message.role, "content": message.text.encode("utf-8", "replace").decode()}
                for message in messages
            ],
            "stream": False,
        }
        if self._address.base_url.startswith(_OWN_LIMIT_NAME):
            # OpenAI's newer models refuse both the old name of the limit and a temperature.
            body["max_completion_tokens"] = max_tokens
        else:
            body |= {"max_tokens": max_tokens, "temperature": 0}
        if json_schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": json_schema, "strict": True},
            }
        return body

    def _text(self, answer: Any) -> str:
        try:
            text = answer["choices"][0]["message"]["content"]
        except (KeyError, TypeError, IndexError) as error:
            raise self._endpoint.bad_answer(sentence("the answer holds no message")) from error
        if not isinstance(text, str):
            raise self._endpoint.bad_answer(sentence("the message is not text"))
        return without_thoughts(text)


def without_thoughts(text: str) -> str:
    """What a model says, without the `<think>` block before it; a thought that was cut off says nothing."""
    return _THOUGHT.sub("", text).strip()
