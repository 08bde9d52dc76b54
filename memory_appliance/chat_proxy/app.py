"""chat_proxy(): the ASGI application; from_options(): as the server's options have it, for granian."""

from __future__ import annotations

import asyncio
import json
import logging
import logging.config
import re
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import anyio
import httpx
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import Send

from memory_appliance.chat_proxy.chats import Chats
from memory_appliance.chat_proxy.conversation import Conversation, read_conversation, session_key, with_block
from memory_appliance.chat_proxy.memory import Holder, Memory, MemoryFailed
from memory_appliance.chat_proxy.replies import Reply
from memory_appliance.chat_proxy.side_requests import is_side_request

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A long conversation with images in it."""
UPSTREAM_WAIT = httpx.Timeout(600.0, connect=10.0)
"""A model on a small machine may think for minutes before its first word."""
CONNECTIONS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
"""Each turn holds one while its model writes."""
PASSED_ON = ("accept", "content-type", "user-agent", "openai-beta")
"""Headers of a request that go upstream. The client's key never does."""
KEPT_BACK = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "set-cookie", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers of the upstream's answer that are about its own connection."""
OWN_HEADERS = ("X-Memory-Status", "X-Memory-Reason", "X-Memory-Session", "X-Memory-Transcript")
KEY_CHARS, HEADER_CHARS = 1000, 300
WRONG_KEYS = RateLimitItemPerMinute(30)
"""That an address may try. The API sees one address, the proxy's: what a stranger tries must not use up its limit."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a chat. `keeps`: whether the caller's key may keep it."""

    secret: str
    agent: str
    key: str
    conversation: Conversation
    keeps: bool


class Refused(Exception):
    """An answer of the proxy itself, in OpenAI's form."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


def chat_proxy(
    *, api: httpx.AsyncClient, upstream: httpx.AsyncClient, waiting: Path, origins: Sequence[str] = ()
) -> Starlette:
    """`api` reaches the appliance, `upstream` the owner's model: base URLs, and the model's key among its headers.

    `waiting`: the file that names, over a restart, the chats with turns that are no notes yet. `origins`: whose pages
    may call; `*` in one covers every name below.
    """
    allowed = "|".join(re.escape(origin).replace(r"\*", r"[a-zA-Z0-9.-]+") for origin in origins) or r"(?!)"
    memory = Memory(api)
    proxy = _Proxy(Chats(memory, waiting), memory, upstream, re.compile(allowed))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        silent = asyncio.create_task(proxy.chats.flush_silent())
        yield
        silent.cancel()
        await proxy.chats.close()

    calls = [
        Route("/chat/completions", proxy.chat, methods=["POST"]),
        Route("/embeddings", proxy.embeddings, methods=["POST"]),
        Route("/models", proxy.models),
        Route("/models/{model:path}", proxy.models),
    ]
    pages = Middleware(CORSMiddleware, allow_origin_regex=allowed, allow_headers=["*"], expose_headers=OWN_HEADERS)
    return Starlette(
        routes=[Route("/health", _health), Mount("/v1", routes=calls), Mount("/users/{user}/v1", routes=calls)],
        middleware=[pages],
        exception_handlers={Refused: _refused, 404: _no_such_address, 405: _no_such_address},
        lifespan=lifespan,
    )


def from_options() -> Starlette:
    """Raises `ValueError` where the options name no upstream."""
    from memory_appliance.launch.layout import Layout
    from memory_appliance.settings import OPTIONS
    from workers.logs import logging_settings

    logging.config.dictConfig(logging_settings(OPTIONS.log_level, OPTIONS.log_format))
    if not OPTIONS.chat_proxy_upstream_url:
        raise ValueError("MEMORY_CHAT_PROXY_UPSTREAM_URL names no model to pass turns on to")
    key = OPTIONS.chat_proxy_upstream_key
    here = Layout(OPTIONS.local_dir, OPTIONS.host, OPTIONS.port)
    return chat_proxy(
        # By the name that it always answers to, whatever the address is called.
        api=httpx.AsyncClient(
            base_url=OPTIONS.chat_proxy_api_url or here.url,
            headers={"Host": "localhost"},
            trust_env=False,
            limits=CONNECTIONS,
        ),
        upstream=httpx.AsyncClient(
            base_url=OPTIONS.chat_proxy_upstream_url,
            headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
            timeout=UPSTREAM_WAIT,
            limits=CONNECTIONS,
        ),
        waiting=here.run_dir / "chat-proxy.json",
        origins=OPTIONS.trusted_origins,
    )


class _Proxy:
    def __init__(self, chats: Chats, memory: Memory, upstream: httpx.AsyncClient, origins: re.Pattern[str]) -> None:
        self.chats = chats
        self._memory = memory
        self._upstream = upstream
        self._origins = origins
        self._tries = FixedWindowRateLimiter(MemoryStorage())

    async def chat(self, request: Request) -> Response:
        secret, holder = await self._enter(request)
        content = await _content(request)
        body = _parsed(content)
        turn = self._turn(request, body, secret, holder)
        if turn is None:
            return await self._pass_on(request, "/chat/completions", content, {"X-Memory-Status": "skipped"})
        block, said = await self._recall(turn, holder)
        if block:
            content = json.dumps(with_block(body, turn.conversation, block)).encode()
        return await self._pass_on(request, "/chat/completions", content, said, turn, stream=bool(body.get("stream")))

    async def embeddings(self, request: Request) -> Response:
        await self._enter(request)
        return await self._pass_on(request, "/embeddings", await _content(request))

    async def models(self, request: Request) -> Response:
        await self._enter(request)
        name = str(request.path_params.get("model", ""))
        if {"", ".", ".."} & set(name.split("/")) and name:
            raise Refused(404, "model_not_found", "There is no such model.")
        return await self._pass_on(request, f"/models/{quote(name, safe='/:')}".rstrip("/"), await _content(request))

    async def _enter(self, request: Request) -> tuple[str, Holder]:
        """The caller's key and what it is for. Raises `Refused`."""
        if (origin := request.headers.get("origin")) and not self._origins.fullmatch(origin):
            raise Refused(403, "forbidden", "Pages of this origin may not call. Add it to MEMORY_TRUSTED_ORIGINS.")
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise Refused(401, "invalid_api_key", "Give a key of Memory Appliance as the API key.")
        address = request.client.host if request.client else ""
        if not self._memory.knows(secret.strip()) and not self._tries.test(WRONG_KEYS, address):
            raise Refused(429, "too_many_requests", "Too many wrong keys from this address.", retry_after="60")
        try:
            holder = await self._memory.holder(secret.strip())
        except MemoryFailed as failure:
            if failure.status == httpx.codes.UNAUTHORIZED:
                self._tries.hit(WRONG_KEYS, address)
            raise _as_refusal(failure) from failure
        if not holder.may("read"):
            raise Refused(403, "forbidden", "The key has no right read. Use one with the rights read and write.")
        return secret.strip(), holder

    def _turn(self, request: Request, body: Mapping[str, Any], secret: str, holder: Holder) -> Turn | None:
        """None for what is no turn of a chat: nothing is recalled for it, and nothing kept. Raises `Refused`."""
        conversation = read_conversation(body)
        off = request.headers.get("x-memory", "").lower() == "off"
        if conversation is None or off or is_side_request(body):
            return None
        agent = request.headers.get("x-memory-agent") or holder.agent
        if not agent:
            raise Refused(400, "agent_needed", "The key is not for one agent. Name it in the header X-Memory-Agent.")
        key = request.headers.get("x-memory-session") or session_key(
            agent, user=_user(request, body), chat=_chat(request), first=conversation.first
        )
        if len(key) > KEY_CHARS:
            raise Refused(400, "invalid_session", f"X-Memory-Session has {KEY_CHARS} characters at most.")
        return Turn(secret, agent, key, conversation, holder.may("write"))

    async def _recall(self, turn: Turn, holder: Holder) -> tuple[str, dict[str, str]]:
        """The block, "" for none, and headers that say what came of it. Raises `Refused`: wrong key or agent."""
        said = {"X-Memory-Session": turn.key}
        if not turn.keeps:
            said["X-Memory-Transcript"] = "not kept: the key has no right write"
        elif lost := self.chats.lost(turn.agent, turn.key):
            said["X-Memory-Transcript"] = f"the last turn was not kept, it is tried again with this one: {lost}"
        try:
            if holder.away:
                raise MemoryFailed(holder.away)
            found = await self._memory.recall(turn.secret, turn.agent, turn.key, turn.conversation)
        except MemoryFailed as failure:
            if failure.status in (401, 404):
                raise _as_refusal(failure) from failure
            logger.warning("a turn goes on without memory", extra={"agent": turn.agent, "reason": str(failure)})
            return "", {**said, "X-Memory-Status": "unavailable", "X-Memory-Reason": str(failure)}
        return found.block, {**said, "X-Memory-Status": found.status, "X-Memory-Reason": found.reason}

    async def _pass_on(
        self,
        request: Request,
        path: str,
        content: bytes,
        said: Mapping[str, str] | None = None,
        turn: Turn | None = None,
        *,
        stream: bool = False,
    ) -> Response:
        """The upstream's answer as it is, status and stream too; a turn is kept when the answer was a whole one."""
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        asked = self._upstream.build_request(
            request.method, path, content=content, params=request.query_params, headers=headers
        )
        asked.headers["accept-encoding"] = "identity"  # the bytes pass unchanged, and are read beside
        try:
            answer = await _unless_gone(request, self._upstream.send(asked, stream=True, follow_redirects=False))
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        except httpx.TimeoutException as error:
            raise Refused(504, "upstream_timeout", f"The model at {self._host} did not answer in time.") from error
        except httpx.HTTPError as error:
            what = f"The model at {self._host} cannot be reached ({type(error).__name__})."
            raise Refused(502, "upstream_unreachable", f"{what} Check MEMORY_CHAT_PROXY_UPSTREAM_URL.") from error
        if answer.is_redirect:
            await answer.aclose()
            raise Refused(
                502, "upstream_redirects", f"The model at {self._host} answers with a redirect: none is followed."
            )
        back = _Passed(self._body(answer, Reply(stream=stream), turn), status_code=answer.status_code)
        back.raw_headers = [(n.lower(), v) for n, v in answer.headers.raw if n.decode().lower() not in KEPT_BACK]
        for name, value in (said or {}).items():
            back.headers[name] = _header(value)
        return back

    async def _body(self, answer: httpx.Response, reply: Reply, turn: Turn | None) -> AsyncIterator[bytes]:
        try:
            async for part in answer.aiter_raw():
                reply.feed(part)
                yield part
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()
            if turn is not None and turn.keeps and answer.is_success:
                turns = turn.conversation.turns(reply.text)
                self.chats.keep_later(turn.secret, turn.agent, turn.key, turns)

    @property
    def _host(self) -> str:
        return urlsplit(str(self._upstream.base_url)).netloc


class _Passed(StreamingResponse):
    async def stream_response(self, send: Send) -> None:
        """Without the last part where the upstream broke off, so that it breaks off for the client too."""
        try:
            await super().stream_response(send)
        except httpx.HTTPError as error:
            logger.warning("an answer of the model broke off", extra={"reason": f"{type(error).__name__}: {error}"})


async def _health(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _no_such_address(request: Request, _error: Exception) -> Response:
    return await _refused(
        request, Refused(404, "not_found", "There are /v1/chat/completions, /v1/models, /v1/embeddings.")
    )


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    body = {"error": {"message": str(error), "type": kind, "param": None, "code": error.code}}
    headers = {"Retry-After": error.retry_after} if error.retry_after else {}
    return JSONResponse(body, status_code=error.status, headers=headers)


def _as_refusal(failure: MemoryFailed) -> Refused:
    if failure.is_away:
        return Refused(503, "memory_unavailable", f"The key cannot be checked: {failure}")
    return Refused(failure.status or 503, failure.code, str(failure), retry_after=failure.retry_after)


async def _content(request: Request) -> bytes:
    """The request's body. Raises `Refused` when it is too large."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY_BYTES:
            raise Refused(413, "too_large", f"The request is larger than {MAX_BODY_BYTES // 1024**2} MiB.")
    return bytes(content)


def _parsed(content: bytes) -> dict[str, Any]:
    """{} for what is no object of JSON: the upstream says what it thinks of it."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _user(request: Request, body: Mapping[str, Any]) -> str:
    """Who writes: by the address, a header or a field of the request; "" when nothing says so."""
    headers = request.headers
    named = request.path_params.get("user") or headers.get("x-memory-user") or headers.get("x-openwebui-user-id")
    return str(named or body.get("user") or body.get("safety_identifier") or "").strip()


def _chat(request: Request) -> str:
    return (request.headers.get("x-memory-chat") or request.headers.get("x-openwebui-chat-id") or "").strip()


def _header(value: str) -> str:
    return " ".join(value.split())[:HEADER_CHARS].encode("latin-1", "replace").decode("latin-1")


async def _unless_gone(request: Request, work: Awaitable[httpx.Response]) -> httpx.Response:
    """What `work` gives, unless the client leaves first: then the work ends too. Raises `ClientDisconnect`."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, httpx.HTTPError):
                await task


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
