"""Forwarding: the request goes to the node that owns the agent and its answer comes back as it is.

Outermost of the application and outside its waiting room: whoever waits for another node holds no thread that works
and no connection to a database. Whether and where to is decided inside (`door.py`), which leaves a `Plan`.
"""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
from django.conf import settings

from agents.nodes.signature import HEADER, Hop, sign

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

logger = logging.getLogger(__name__)

PLAN = "memory.node.plan"
AWAY = "memory.node.away"
"""The request comes back because its node does not answer."""

CONNECT_SECONDS = 1.0
AWAY_SECONDS = 2.0
"""For so long a node that did not answer is not asked again, so that a crowd does not wait for it."""
IDLE_SECONDS = 5.0
BLOCK = 64 * 1024
WHOLE_BYTES = 1024 * 1024
"""An answer up to this size is complete before its first byte goes out: it breaks off as an error, not as a half."""

_PATH_CHARS = "/:@!$&'()*+,;=~-._"
_THIS_CONNECTION = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "expect", "date", "server", HEADER.lower()}
)


@dataclass(frozen=True, slots=True)
class Plan:
    """`body` is None when nobody has read it yet: it then passes through as it comes."""

    node: str
    url: str
    arrived: float
    patience: float
    body: bytes | None = None


class NodeAway(Exception):
    """The node did not answer; nothing has been sent to the client."""


class Forwarding:
    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started: list[tuple[Any, ...]] = []

        def hold(*answer: Any) -> Any:
            started.append(answer)

        answer = self.application(environ, hold)
        plan: Plan | None = environ.pop(PLAN, None)
        if plan is None:
            start_response(*started[-1])
            return answer
        if (close := getattr(answer, "close", None)) is not None:
            close()
        try:
            return forward(plan, environ, start_response)
        except NodeAway as problem:
            logger.warning("%s does not answer: %s", plan.node, problem)
            environ[AWAY] = plan.node
            environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(), "0"
            return self.application(environ, start_response)


def forward(plan: Plan, environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """Raises `NodeAway` as long as nothing has gone out to the client."""
    circuits = _circuits()
    if time.monotonic() < circuits.get(plan.node, 0.0):
        raise NodeAway("it did not a moment ago")
    client, request = _client(), _request(plan, environ)
    try:
        answer = client.send(request, stream=True)
    except httpx.HTTPError as error:
        circuits[plan.node] = time.monotonic() + AWAY_SECONDS
        raise NodeAway(type(error).__name__) from error
    headers = _passing(answer)
    status = f"{answer.status_code} {answer.reason_phrase}"
    body: Iterable[bytes] = _Passing(answer)
    if int(answer.headers.get("content-length", WHOLE_BYTES + 1)) <= WHOLE_BYTES:
        try:
            body = [b"".join(answer.iter_raw())]
        except httpx.HTTPError as error:
            raise NodeAway(f"its answer broke off: {type(error).__name__}") from error
        finally:
            answer.close()
    start_response(status, headers)
    return body


def target_of(environ: Mapping[str, Any]) -> str:
    """Path and query in the one spelling that is sent and signed."""
    path = quote(str(environ.get("PATH_INFO", "")).encode("latin-1"), safe=_PATH_CHARS)
    query = str(environ.get("QUERY_STRING", ""))
    return f"{path}?{query}" if query else path


class _Passing:
    """A long answer, block by block."""

    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_raw(BLOCK)

    def close(self) -> None:
        self._answer.close()


def _request(plan: Plan, environ: Mapping[str, Any]) -> httpx.Request:
    method, target = str(environ["REQUEST_METHOD"]), target_of(environ)
    hop = Hop(
        sender=settings.MEMORY_NODE_NAME,
        to=plan.node,
        peer=str(environ.get("REMOTE_ADDR", "")),
        scheme=str(environ.get("wsgi.url_scheme", "http")),
        waited_ms=max(0, round((time.monotonic() - plan.arrived) * 1000)),
    )
    headers = {**_headers(environ), HEADER: sign(hop, method, target)}
    length = int(environ.get("CONTENT_LENGTH") or 0)
    content: bytes | Iterator[bytes] | None = plan.body
    if content is None and length:
        headers["content-length"] = str(length)
        content = _blocks(environ["wsgi.input"], length)
    timeout = httpx.Timeout(plan.patience, connect=CONNECT_SECONDS)
    # The target as it came: an address would be tidied up, and then be another one than was signed.
    extensions = {"target": target.encode("latin-1"), "timeout": timeout.as_dict()}
    return httpx.Request(method, plan.url, headers=headers, content=content, extensions=extensions)


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    named = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    if environ.get("CONTENT_TYPE"):
        named["content-type"] = environ["CONTENT_TYPE"]
    return {name: value for name, value in named.items() if name not in _THIS_CONNECTION and name != "content-length"}


def _passing(answer: httpx.Response) -> list[tuple[str, str]]:
    """Every header that is about the answer and not about the connection; a cookie may come more than once."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers.raw)
    return [(name, value) for name, value in pairs if name.lower() not in _THIS_CONNECTION]


def _blocks(stream: Any, length: int) -> Iterator[bytes]:
    while length > 0 and (block := stream.read(min(BLOCK, length))):
        length -= len(block)
        yield block


@cache
def _client() -> httpx.Client:
    """One for the process, safe for all threads; made after the web server has forked."""
    limits = httpx.Limits(max_connections=256, max_keepalive_connections=32, keepalive_expiry=IDLE_SECONDS)
    return httpx.Client(limits=limits, trust_env=False)


@cache
def _circuits() -> dict[str, float]:
    """Node → until when it is not asked."""
    return {}
