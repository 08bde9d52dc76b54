"""RemoteGenerator: a model of a provider that writes, asked in the provider's own way."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from search.errors import GeneratorUnavailable
from search.runtime.protocols import Message, Thinking
from search.runtime.providers.address import Address
from search.runtime.providers.chat import Chat
from search.runtime.providers.failures import ProviderFailed
from search.runtime.providers.http import Endpoint
from search.runtime.providers.rest import Rest
from search.sentences import sentence

_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)


class RemoteGenerator:
    """Safe from any number of threads. What a model thinks aloud before its answer is left out."""

    def __init__(self, address: Address, model: str, chat: Chat) -> None:
        self._address = address
        self._model = model
        self._chat = chat
        self._endpoint = Endpoint(address, headers=chat.headers(address.key))
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
        thinking: Thinking = "off",
    ) -> str:
        end = time.monotonic() + timeout
        path, body = self._chat.request(
            self._address.base_url,
            self._model,
            messages,
            max_tokens=max_tokens,
            json_schema=json_schema,
            thinking=thinking,
        )
        try:
            self._rest.check()
            text = self._text(self._endpoint.post(path, body, end=end, patient=False))
        except ProviderFailed as failure:
            self._rest.after(failure)
            raise GeneratorUnavailable(
                failure.message, hint=failure.hint, kind=failure.kind, wait_seconds=failure.wait_seconds
            ) from failure
        self._rest.over()
        return text

    def _text(self, answer: Any) -> str:
        try:
            text = self._chat.text(answer)
        except (KeyError, TypeError, IndexError) as error:
            raise self._endpoint.bad_answer(sentence("the answer holds no message")) from error
        if not isinstance(text, str):
            raise self._endpoint.bad_answer(sentence("the message is not text"))
        return without_thoughts(text)


def without_thoughts(text: str) -> str:
    """What a model says, without the `<think>` block before it; a thought that was cut off says nothing."""
    return _THOUGHT.sub("", text).strip()
