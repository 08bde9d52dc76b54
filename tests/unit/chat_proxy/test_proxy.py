"""The chat proxy on the real API and control database, without a socket in between; the model is a function."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import httpx
import pytest
from django.test import Client as Door

from agents.access.keys import revoke_key
from agents.models import Agent, RecallEvent, TranscriptMessage
from memory_appliance.chat_proxy.app import WRONG_KEYS, chat_proxy
from memory_appliance.chat_proxy.chats import FLUSH_MESSAGES
from tests import cast
from tests.unit.chat_proxy.test_side_requests import SIDE

QUESTION = "Do you remember where the spare key is?"
MODEL = "http://model.example/v1"


class House:
    """The proxy, what it asked the model, and how the model answers; `away`: the API is not there."""

    def __init__(self, door: Door, waiting: Path) -> None:
        self.asked: list[httpx.Request] = []
        self.says("There.")
        self.failure: httpx.HTTPError | None = None
        self.away = False
        self._door = door
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        api = httpx.AsyncClient(base_url="http://api.example", transport=httpx.MockTransport(self._api))
        upstream = httpx.AsyncClient(
            base_url=MODEL, headers={"Authorization": "Bearer up"}, transport=httpx.MockTransport(self._model)
        )
        self.app = chat_proxy(api=api, upstream=upstream, waiting=waiting, origins=["https://*.home.example"])

    def says(self, text: str) -> None:
        self.answer = httpx.Response(200, json={"choices": [{"index": 0, "message": {"content": text}}]})

    async def _api(self, request: httpx.Request) -> httpx.Response:
        """In the test's own thread, which has the control database's transaction."""
        if self.away:
            raise httpx.ConnectError("refused")
        answer: Future[httpx.Response] = Future()
        self._calls.put(lambda: answer.set_result(self._answered(request)))
        return await asyncio.wrap_future(answer)

    def _answered(self, request: httpx.Request) -> httpx.Response:
        answer = self._door.generic(
            request.method,
            request.url.raw_path.decode(),
            request.content,
            content_type="application/json",
            headers={"Authorization": request.headers["Authorization"]},
        )
        return httpx.Response(answer.status_code, headers=dict(answer.items()), content=answer.content)

    def _model(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if self.failure:
            raise self.failure
        return httpx.Response(
            self.answer.status_code, headers=self.answer.headers, stream=httpx.ByteStream(self.answer.content)
        )

    def call(
        self, key: str, body: Any = None, method: str = "POST", path: str = "/v1/chat/completions", **headers: str
    ) -> httpx.Response:
        """With the proxy's start and end around it, so that what it does after the answer is done."""

        async def called() -> httpx.Response:
            async with self.app.router.lifespan_context(self.app):
                transport = httpx.ASGITransport(self.app)
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                auth = {"Authorization": f"Bearer {key}"} if key else {}
                async with httpx.AsyncClient(transport=transport, base_url="http://proxy.example") as client:
                    return await client.request(method, path, json=body, headers={**auth, **named})

        with ThreadPoolExecutor(1) as loop:
            done = loop.submit(asyncio.run, called())
            done.add_done_callback(lambda _: self._calls.put(None))
            while answer_one := self._calls.get():
                answer_one()
        return done.result()


@pytest.fixture
def house(client: Door, al: Agent, tmp_path: Path) -> House:
    return House(client, tmp_path / "waiting.json")


@pytest.fixture
def key(al: Agent) -> str:
    return cast.person("app", agents=["al"], rights=["read", "write"]).secret


def turn(*texts: str, **more: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    said = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return {"model": "m", "messages": said, "user": "eva", **more}


def kept() -> int:
    return TranscriptMessage.objects.count()


def test_a_turn_is_recalled_for_and_kept_and_the_callers_key_stays_here(house: House, key: str) -> None:
    answer = house.call(key, turn(QUESTION))
    assert answer.json()["choices"][0]["message"]["content"] == "There."
    assert answer.headers["X-Memory-Session"] == "agent:al:openai:direct:eva"
    assert answer.headers["X-Memory-Status"] == RecallEvent.objects.get().status
    assert (
        str(house.asked[0].url) == f"{MODEL}/chat/completions"
        and house.asked[0].headers["Authorization"] == "Bearer up"
    )
    assert kept() == 2


def test_what_is_worth_a_note_becomes_one_when_the_chat_has_grown(house: House, al: Agent, key: str) -> None:
    house.call(key, turn("We decided to paint the shed green in May."))
    for number in range(FLUSH_MESSAGES // 2 - 1):
        assert "shed green" not in Path(al.workspace, "MEMORY.md").read_text()
        house.says(f"Answer {number}")
        house.call(key, turn(f"Number {number}"))
    assert "shed green" in Path(al.workspace, "MEMORY.md").read_text()


@pytest.mark.parametrize(
    ("again", "new"),
    [
        ([QUESTION], {"Elsewhere."}),
        ([QUESTION, "There.", "Thanks"], {"Thanks", "Elsewhere."}),
        ([QUESTION, "Here.", "Thanks"], {"Here.", "Thanks", "Elsewhere."}),
        (["Where was it?"], {"Where was it?", "Elsewhere."}),
        ([QUESTION, "There.", QUESTION], {QUESTION, "Elsewhere."}),
    ],
    ids=["regenerated", "gone on", "answer edited", "question edited", "asked twice"],
)
def test_history_that_comes_again_doubles_nothing(house: House, key: str, again: list[str], new: set[str]) -> None:
    house.call(key, turn(QUESTION))
    house.says("Elsewhere.")
    house.call(key, turn(*again))
    assert kept() == 2 + len(new)
    house.call(key, turn(*again))
    assert kept() == 2 + len(new)


@pytest.mark.parametrize(("role", "content"), SIDE[:2])
def test_what_the_app_asks_for_itself_neither_recalls_nor_is_kept(
    house: House, key: str, role: str, content: Any
) -> None:
    body = {"model": "m", "messages": [{"role": role, "content": content}]}
    assert house.call(key, body).headers["X-Memory-Status"] == "skipped"
    assert house.call(key, turn(QUESTION), X_Memory="off").headers["X-Memory-Status"] == "skipped"
    assert json.loads(house.asked[0].content) == body
    assert kept() == 0 and not RecallEvent.objects.exists()


def test_a_turn_with_tools_is_recalled_for_once(house: House, key: str) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {}}]}
    body = turn(QUESTION)
    first = house.call(key, body)
    body["messages"] += [call, {"role": "tool", "tool_call_id": "1", "content": "4 degrees"}]
    assert house.call(key, body).headers["X-Memory-Status"] == first.headers["X-Memory-Status"]
    sent = [json.loads(request.content)["messages"] for request in house.asked]
    assert sent[1] == [*sent[0], *body["messages"][1:]] and RecallEvent.objects.count() == 1
    house.call(key, turn(QUESTION))
    assert RecallEvent.objects.count() == 2


def test_a_chat_without_a_user_is_denied_as_any_unknown_chat_and_the_turn_goes_on(house: House, key: str) -> None:
    answer = house.call(key, turn(QUESTION, user=""))
    assert answer.status_code == 200 and answer.headers["X-Memory-Status"] == "denied"
    assert "scope_denied: " in answer.headers["X-Memory-Reason"] and "blue pot" not in str(house.asked[0].content)
    named = house.call(key, turn(QUESTION, user=""), path="/users/eva/v1/chat/completions", X_OpenWebUI_Chat_Id="c1")
    assert named.headers["X-Memory-Session"] == "agent:al:openai:direct:eva:thread:c1"


def test_only_a_key_that_may_read_reaches_the_model(house: House, key: str, al_2: Agent) -> None:
    def refused(secret: str, **headers: str) -> tuple[int, str]:
        answer = house.call(secret, turn(QUESTION), **headers)
        return answer.status_code, answer.json()["error"]["code"]

    several = cast.person("two", agents=["al", "al-2"], rights=["read", "write"])
    assert refused("") == (*refused("maw_wrong")[:1], "invalid_api_key")
    assert refused(cast.person("w", agents=["al"], rights=["write"]).secret) == (403, "forbidden")
    assert refused(several.secret) == (400, "agent_needed")
    assert refused(key, X_Memory_Agent="al-2") == refused(key, X_Memory_Agent="../keys") == (404, "not_found")
    assert house.call(several.secret, turn(QUESTION), X_Memory_Agent="al").status_code == 200
    revoke_key(actor=cast.OWNER, key=several.key)
    assert refused(several.secret, X_Memory_Agent="al")[0] == 401
    assert refused(key, Origin="https://evil.example") == (403, "forbidden")
    allowed = house.call(key, turn(QUESTION), Origin="https://chat.home.example")
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://chat.home.example"
    assert len(house.asked) == 2


def test_wrong_keys_of_an_address_are_counted_and_keys_that_are_known_go_on(house: House, key: str) -> None:
    assert house.call(key, turn("One")).status_code == 200
    answers = [house.call("maw_wrong", turn("One")) for _ in range(WRONG_KEYS.amount + 1)]
    assert [answer.status_code for answer in answers] == [401] * WRONG_KEYS.amount + [429]
    assert answers[-1].headers["Retry-After"] == "60" and house.call(key, turn("One")).status_code == 200


def test_a_key_that_may_not_write_is_recalled_for_and_told_that_nothing_is_kept(house: House) -> None:
    answer = house.call(cast.person("r", agents=["al"], rights=["read"]).secret, turn(QUESTION))
    assert answer.headers["X-Memory-Transcript"] == "not kept: the key has no right write"
    assert RecallEvent.objects.count() == 1 and kept() == 0


def test_while_memory_is_away_known_keys_go_on_and_the_lost_turn_comes_with_the_next(house: House, key: str) -> None:
    house.call(key, turn("One"))
    house.away = True
    answer = house.call(key, turn("One", "There.", "Two"))
    assert answer.status_code == 200 and answer.headers["X-Memory-Status"] == "unavailable"
    assert "api.example does not answer: ConnectError" in answer.headers["X-Memory-Reason"]
    assert house.call("maw_not-seen-before", turn("One")).json()["error"]["code"] == "memory_unavailable"
    house.away = False
    answer = house.call(key, turn("One", "There.", "Two", "There.", "Three"))
    assert "does not answer" in answer.headers["X-Memory-Transcript"] and kept() == 6
    assert "X-Memory-Transcript" not in house.call(key, turn("Four")).headers


def test_the_models_answers_pass_as_they_are(house: House, key: str) -> None:
    house.answer = httpx.Response(429, headers={"Retry-After": "9", "Set-Cookie": "a=b"}, content=b"slow\xff")
    answer = house.call(key, turn(QUESTION))
    assert (answer.status_code, answer.content, answer.headers["Retry-After"]) == (429, b"slow\xff", "9")
    assert "Set-Cookie" not in answer.headers and kept() == 0
    house.answer = httpx.Response(302, headers={"Location": "http://169.254.169.254/"})
    assert house.call(key, turn(QUESTION)).json()["error"]["code"] == "upstream_redirects"
    house.failure = httpx.ConnectError("no route")
    answer = house.call(key, turn(QUESTION))
    assert answer.status_code == 502 and "model.example" in answer.json()["error"]["message"]
    house.failure = httpx.ReadTimeout("slow")
    assert house.call(key, turn(QUESTION)).status_code == 504


def test_other_addresses_are_told_and_none_reaches_beyond_the_upstream(house: House, key: str) -> None:
    assert house.call(key, {}, path="/v1/embeddings").status_code == 200
    assert house.call(key, method="GET", path="/v1/models/qwen3:1.7b").status_code == 200
    assert [str(request.url) for request in house.asked] == [f"{MODEL}/embeddings", f"{MODEL}/models/qwen3:1.7b"]
    for path in ("/v1/models/%2e%2e/api/tags", "/v1/responses", "/v1/models/a//b"):
        assert house.call(key, method="GET", path=path).json()["error"]["type"] == "invalid_request_error"
    assert len(house.asked) == 2
    assert house.call("", method="GET", path="/health").json() == {"status": "ok"}
