"""Endpoint: post() to one provider with retries, a deadline and every failure classified."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential_jitter

from search.runtime.providers.address import Address
from search.runtime.providers.failures import TRANSIENT, ProviderFailed, classify
from search.sentences import sentence

MAX_ANSWER_BYTES = 64 * 1024 * 1024
CONNECT_SECONDS = 5.0
_QUICK = wait_exponential_jitter(multiplier=0.5, max=8, jitter=0.2)
_LIMITED = wait_exponential_jitter(multiplier=5, max=60, jitter=1)
_ATTEMPTS = 3
_ATTEMPTS_LIMITED = 5


class Endpoint:
    """Safe from any number of threads. Redirects are not followed: they would carry the key elsewhere."""

    def __init__(self, address: Address, *, headers: Mapping[str, str]) -> None:
        self._address = address
        self._client = httpx.Client(headers={"User-Agent": "memory-appliance", **headers}, follow_redirects=False)

    def post(self, path: str, body: Mapping[str, Any], *, end: float, patient: bool) -> Any:
        """The parsed JSON answer, before the monotonic time `end`. `patient` sits out rate limits; a query does not.

        Raises `ProviderFailed`. Quota, key and format errors are raised at once, transient ones after some tries.
        """
        tries = Retrying(
            retry=retry_if_exception(lambda e: isinstance(e, ProviderFailed) and e.kind in TRANSIENT),
            wait=_pause,
            stop=lambda state: _enough(state, end, patient),
            reraise=True,
        )
        return tries(self._once, path, body, end)

    def _once(self, path: str, body: Mapping[str, Any], end: float) -> Any:
        if self._address.lacks:
            raise self._failed("auth", self._address.lacks)
        left = end - time.monotonic()
        if left <= 0:
            raise self._failed("timeout", sentence("no time was left to ask"))
        limits = httpx.Timeout(left, connect=min(left, CONNECT_SECONDS))
        url = f"{self._address.base_url}{path}"
        try:
            with self._client.stream("POST", url, json=body, timeout=limits) as response:
                content = self._read(response, end)
        except httpx.TimeoutException as error:
            raise self._failed("timeout", sentence("no answer from {host} in time", host=self._host())) from error
        except httpx.HTTPError as error:
            raise self._failed("unreachable", f"{self._host()}: {type(error).__name__}") from error
        parsed = _parsed(content)
        if not response.is_success:
            text = parsed if parsed is not None else content[:2000].decode("utf-8", "replace")
            raise classify(
                self._address.provider, response.status_code, response.headers, text, secret=self._address.key
            )
        if parsed is None:
            raise self._failed("bad_answer", sentence("the answer is not JSON"))
        return parsed

    def _read(self, response: httpx.Response, end: float) -> bytes:
        """The whole body, bounded in size and in time: the client's own limit counts each read anew."""
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > MAX_ANSWER_BYTES:
                raise self._failed("bad_answer", sentence("the answer is larger than 64 MB"))
            if time.monotonic() > end:
                raise self._failed("timeout", sentence("no whole answer from {host} in time", host=self._host()))
        return bytes(content)

    def bad_answer(self, what: str) -> ProviderFailed:
        return self._failed("bad_answer", what)

    def _failed(self, kind: Any, message: str) -> ProviderFailed:
        return ProviderFailed(self._address.provider, kind, message)

    def _host(self) -> str:
        return urlsplit(self._address.base_url).netloc


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _pause(state: RetryCallState) -> float:
    failure = state.outcome.exception() if state.outcome else None
    if not isinstance(failure, ProviderFailed):
        return 0.0
    if failure.retry_after is not None:
        return failure.retry_after
    return (_LIMITED if failure.kind == "rate_limited" else _QUICK)(state)


def _enough(state: RetryCallState, end: float, patient: bool) -> bool:
    failure = state.outcome.exception() if state.outcome else None
    limited = isinstance(failure, ProviderFailed) and failure.kind == "rate_limited"
    if limited and not patient:
        return True
    most = _ATTEMPTS_LIMITED if limited else _ATTEMPTS
    return state.attempt_number >= most or time.monotonic() + state.upcoming_sleep >= end
