"""Client and AsyncClient: one connection to an appliance, and the calls of `calls` made over it."""

from __future__ import annotations

import asyncio
import copy
import functools
import os
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import httpx

from memory_appliance_client import calls
from memory_appliance_client.calls import Call
from memory_appliance_client.errors import ApplianceError, NoAnswer, error_class

P = ParamSpec("P")
T = TypeVar("T")
Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)
Own = TypeVar("Own", bound="Connection[Any]")

URL = "http://127.0.0.1:8765"
LEAST_PAUSE = 0.1
"""Seconds between two tries when the server says `Retry-After: 0`."""


class Connection(Generic[Http]):
    """What both clients share.

    `url`, `key` and `agent` come from MEMORY_URL, MEMORY_KEY (or a file named in MEMORY_KEY_FILE) and MEMORY_AGENT
    unless given. `timeout`: seconds to wait for an answer; calls with a deadline of their own wait longer.
    `retry_seconds`: how long one call may wait altogether when the server says that it is busy and when to come
    again (409 `workspace_busy`, 429, 503); 0 never waits. `http`: an httpx client of your own, for proxies,
    certificates or transports; you close it.
    """

    _http: Http

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        agent: str | None = None,
        timeout: float = 30.0,
        retry_seconds: float = 30.0,
        http: Http | None = None,
    ) -> None:
        self.url = (url or os.environ.get("MEMORY_URL") or URL).rstrip("/")
        self.timeout, self.retry_seconds = timeout, retry_seconds
        self._agent = agent or os.environ.get("MEMORY_AGENT") or ""
        self._key = key or os.environ.get("MEMORY_KEY") or _key_of_file()
        if not self._key.isascii() or not self._key.isprintable():
            raise ValueError("The key has characters that no key has: copy it again.")
        self._owns_http = http is None
        self._http = self._new_http() if http is None else http

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, agent={self._agent!r})"

    @property
    def agent(self) -> str:
        """Whose memory the calls are about. Raises `ValueError` when no agent was named."""
        if not self._agent:
            raise ValueError("No agent is named: give agent=…, or set MEMORY_AGENT.")
        return self._agent

    def for_agent(self: Own, agent: str) -> Own:
        """The same connection for another agent; only the first client is closed."""
        other = copy.copy(self)
        other._agent, other._owns_http = agent, False
        return other

    def _new_http(self) -> Http:
        raise NotImplementedError

    def _request(self, call: Call[Any]) -> httpx.Request:
        return self._http.build_request(
            call.method,
            f"{self.url}/api/v1{call.path}",
            params=call.params,
            json=call.body,
            content=call.content,
            headers={"Authorization": f"Bearer {self._key}", "User-Agent": f"memory-appliance-client/{_version()}"},
            timeout=max(self.timeout, call.seconds),
        )

    def _patience_ends(self, call: Call[Any]) -> float:
        """On the monotonic clock. A call that has a deadline is not tried again after it."""
        return time.monotonic() + min(self.retry_seconds, call.patience)

    def _no_answer(self, error: Exception) -> NoAnswer:
        if isinstance(error, httpx.TimeoutException):
            return NoAnswer(f"{self.url} did not answer in time.", code="no_answer", hint="Give a longer timeout.")
        cause = str(error) or type(error).__name__
        return NoAnswer(
            f"{self.url} cannot be reached: {cause}.", code="no_answer", hint="Start the appliance, or set MEMORY_URL."
        )

    def _answer(self, call: Call[T], response: httpx.Response) -> T:
        if not response.is_success:
            raise self._error(response)
        try:
            return call.read(response)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._foreign(response) from error

    def _error(self, response: httpx.Response) -> ApplianceError:
        try:
            said = response.json()["error"]
            told = {"code": said["code"], "hint": said["hint"], "field": said.get("field", "")}
            message = said["message"]
        except (KeyError, TypeError, ValueError, AttributeError):
            return self._foreign(response)
        wait = _retry_after(response)
        return error_class(response.status_code, wait)(
            message,
            status=response.status_code,
            retry_after=wait,
            request_id=response.headers.get("X-Request-ID", ""),
            **told,
        )

    def _foreign(self, response: httpx.Response) -> ApplianceError:
        """Not in the API's shape: from a proxy in between, or from another server."""
        wait = _retry_after(response)
        kind = NoAnswer if response.is_success or response.is_redirect else error_class(response.status_code, wait)
        return kind(
            f"{self.url} answered HTTP {response.status_code}, and not as the API does.",
            code="not_the_api",
            hint="Check the address, and the proxy in front of it.",
            status=response.status_code,
            retry_after=wait,
        )


def _sync(ask: Callable[Concatenate[calls.Asks, P], Call[T]]) -> Callable[Concatenate[Client, P], T]:
    @functools.wraps(ask)
    def method(client: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return client.send(ask(client, *args, **kwargs))

    return method


def _async(ask: Callable[Concatenate[calls.Asks, P], Call[T]]) -> Callable[Concatenate[AsyncClient, P], Awaitable[T]]:
    @functools.wraps(ask)
    async def method(client: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await client.send(ask(client, *args, **kwargs))

    return method


class Client(Connection[httpx.Client]):
    """May be used by several threads at once. `with Client() as client:` closes it."""

    def _new_http(self) -> httpx.Client:
        return httpx.Client()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def send(self, call: Call[T]) -> T:
        """Raises `ApplianceError`."""
        end = self._patience_ends(call)
        while True:
            try:
                response = self._http.send(self._request(call))
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._no_answer(error) from error
            pause = _pause(response, end)
            if pause is None:
                return self._answer(call, response)
            time.sleep(pause)

    search = _sync(calls.search)
    get = _sync(calls.get)
    multi_get = _sync(calls.multi_get)
    recall = _sync(calls.recall)
    recall_ready = _sync(calls.recall_ready)
    recall_events = _sync(calls.recall_events)
    toggle_recall = _sync(calls.toggle_recall)
    context = _sync(calls.context)
    note = _sync(calls.note)
    store_messages = _sync(calls.store_messages)
    store_jsonl = _sync(calls.store_jsonl)
    messages = _sync(calls.messages)
    reset = _sync(calls.reset)
    flush = _sync(calls.flush)
    consolidate = _sync(calls.consolidate)
    forget = _sync(calls.forget)
    status = _sync(calls.status)
    files = _sync(calls.files)
    read_file = _sync(calls.read_file)
    save_file = _sync(calls.save_file)
    versions = _sync(calls.versions)
    restore = _sync(calls.restore)
    export = _sync(calls.export)
    update = _sync(calls.update)
    rebuild = _sync(calls.rebuild)
    run = _sync(calls.run)
    agents = _sync(calls.agents)
    create_agent = _sync(calls.create_agent)
    request = _sync(calls.request)


class AsyncClient(Connection[httpx.AsyncClient]):
    """For one event loop. `async with AsyncClient() as client:` closes it."""

    def _new_http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Raises `ApplianceError`."""
        end = self._patience_ends(call)
        while True:
            try:
                response = await self._http.send(self._request(call))
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._no_answer(error) from error
            pause = _pause(response, end)
            if pause is None:
                return self._answer(call, response)
            await asyncio.sleep(pause)

    search = _async(calls.search)
    get = _async(calls.get)
    multi_get = _async(calls.multi_get)
    recall = _async(calls.recall)
    recall_ready = _async(calls.recall_ready)
    recall_events = _async(calls.recall_events)
    toggle_recall = _async(calls.toggle_recall)
    context = _async(calls.context)
    note = _async(calls.note)
    store_messages = _async(calls.store_messages)
    store_jsonl = _async(calls.store_jsonl)
    messages = _async(calls.messages)
    reset = _async(calls.reset)
    flush = _async(calls.flush)
    consolidate = _async(calls.consolidate)
    forget = _async(calls.forget)
    status = _async(calls.status)
    files = _async(calls.files)
    read_file = _async(calls.read_file)
    save_file = _async(calls.save_file)
    versions = _async(calls.versions)
    restore = _async(calls.restore)
    export = _async(calls.export)
    update = _async(calls.update)
    rebuild = _async(calls.rebuild)
    run = _async(calls.run)
    agents = _async(calls.agents)
    create_agent = _async(calls.create_agent)
    request = _async(calls.request)


def _retry_after(response: httpx.Response) -> int | None:
    said = response.headers.get("Retry-After", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 9 else None


def _pause(response: httpx.Response, end: float) -> float | None:
    """Seconds to wait before the next try; None when there is none."""
    wait = _retry_after(response)
    if response.status_code not in (409, 429, 503) or wait is None:
        return None
    pause = max(float(wait), LEAST_PAUSE)
    return pause if time.monotonic() + pause <= end else None


def _key_of_file() -> str:
    """Raises `ValueError` when there is no key at all."""
    name = os.environ.get("MEMORY_KEY_FILE")
    if not name:
        raise ValueError("No key is given: give key=…, or set MEMORY_KEY or MEMORY_KEY_FILE.")
    return Path(name).read_text(encoding="utf-8").strip()


@functools.cache
def _version() -> str:
    try:
        return version("memory-appliance-client")
    except PackageNotFoundError:
        return "0"
