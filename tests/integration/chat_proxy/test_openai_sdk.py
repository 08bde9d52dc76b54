"""OpenAI's own Python client against the chat proxy: a real server, a real process, a model on loopback."""

from __future__ import annotations

import openai
import pytest
from django.template import Context, Template

from tests.integration.chat_proxy.conftest import House
from tests.integration.chat_proxy.upstream import ANSWER, KEY, TOOL
from tests.integration.stack.server import ROOT, until

QUESTION = "Do you remember where the spare key is?"
WHOLE = "".join(ANSWER)


def ask(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "Be short."}, {"role": "user", "content": text}]


def test_a_turn_is_recalled_for_answered_and_kept(house: House) -> None:
    answer = house.client().chat.completions.with_raw_response.create(
        model="loop-1", messages=ask(QUESTION), user="eva"
    )
    assert answer.parse().choices[0].message.content == WHOLE
    assert answer.headers["X-Memory-Status"] == "ok" and answer.headers["X-Request-Id"] == "up-1"
    sent = house.upstream.asked[-1]
    assert sent.headers["authorization"] == f"Bearer {KEY}" and house.key not in str(sent)
    system, message = sent.body["messages"]
    assert system["content"] == "Be short." and sent.body["user"] == "eva"
    assert "blue pot" in message["content"] and message["content"].endswith(f"\n\n{QUESTION}")
    key = "agent:house:openai:direct:eva"
    assert answer.headers["X-Memory-Session"] == key
    until("kept", lambda: house.said(key) == [("user", QUESTION), ("assistant", WHOLE)], 10)


def test_a_stream_passes_word_by_word_and_is_kept_once_when_asked_again(house: House) -> None:
    for _ in range(2):
        stream = house.client().chat.completions.create(model="loop-1", messages=ask(QUESTION), user="ida", stream=True)
        words = [event.choices[0].delta.content for event in stream]
        assert words == [*ANSWER, None]
    until("kept", lambda: len(house.said("agent:house:openai:direct:ida")) == 2, 10)


def test_tools_pass_and_the_words_after_their_result_are_kept(house: House) -> None:
    client, user = (
        house.client(base_url=f"http://127.0.0.1:{house.port}/users/olaf/v1"),
        "Is a tool for the weather there?",
    )
    said: list = [{"role": "user", "content": user}]  # type: ignore[type-arg]
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    message = client.chat.completions.create(model="loop-1", messages=said, tools=tools).choices[0].message
    assert message.tool_calls[0].to_dict() == TOOL and house.upstream.last["tools"] == tools
    said += [message.to_dict(), {"role": "tool", "tool_call_id": "call_1", "content": "4 degrees"}]
    assert (
        client.chat.completions.create(model="loop-1", messages=said, tools=tools).choices[0].message.content == WHOLE
    )
    key = "agent:house:openai:direct:olaf"
    until("kept", lambda: house.said(key) == [("user", user), ("assistant", WHOLE)], 10)


@pytest.mark.parametrize("stream", [False, True])
def test_errors_of_the_model_pass_as_they_are_and_nothing_is_kept(house: House, stream: bool) -> None:
    ask_for = house.client().chat.completions.create
    with pytest.raises(openai.RateLimitError) as limited:
        ask_for(model="loop-1", messages=ask("too many"), user="may", stream=stream)
    assert limited.value.response.headers["Retry-After"] == "7" and limited.value.code == "rate_limited"
    with pytest.raises(openai.InternalServerError) as failed:
        ask_for(model="loop-1", messages=ask("fail"), user="may", stream=stream)
    assert failed.value.code == "oom"
    assert house.said("agent:house:openai:direct:may") == []


def test_a_stream_that_breaks_off_breaks_off_for_the_client_and_its_answer_is_not_kept(house: House) -> None:
    seen = []
    with pytest.raises(openai.APIConnectionError):
        for event in house.client().chat.completions.create(
            model="loop-1", messages=ask("break off"), user="ulf", stream=True
        ):
            seen.append(event.choices[0].delta.content)
    assert seen == ANSWER
    until("kept", lambda: house.said("agent:house:openai:direct:ulf") == [("user", "break off")], 10)


def test_a_client_that_leaves_ends_the_models_work(house: House) -> None:
    for stream, words in ((True, "for ever"), (False, "wait long")):
        house.upstream.left.clear()
        if stream:
            answer = house.client().chat.completions.create(model="loop-1", messages=ask(words), stream=True)
            assert next(iter(answer)).choices[0].delta.content == "1 "
            answer.close()
        else:
            with pytest.raises(openai.APITimeoutError):
                house.client(timeout=0.5).chat.completions.create(model="loop-1", messages=ask(words))
        assert house.upstream.left.wait(10)


def test_models_and_embeddings_pass(house: House) -> None:
    assert [model.id for model in house.client().models.list()] == ["loop-1"]
    found = house.client().embeddings.create(model="loop-1", input="a", encoding_format="float")
    assert found.data[0].embedding == [0.5, 0.25]
    with pytest.raises(openai.AuthenticationError):
        house.client(api_key="maw_wrong").models.list()


def test_the_snippet_of_the_page_connect_is_all_that_a_program_needs(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {
        "chat_proxy": f"http://127.0.0.1:{house.port}",
        "key": house.key,
        "request": {"user": {"get_username": "Eva S"}},
    }
    snippet = Template((ROOT / "templates/first_run/snippets/openai.txt").read_text()).render(
        Context({**shown, "chat_proxy_on": True})
    )
    for line in snippet.splitlines():
        if not line.startswith("#"):
            monkeypatch.setenv(*line.split("=", 1))
    answer = openai.OpenAI().chat.completions.with_raw_response.create(model="loop-1", messages=ask(QUESTION))
    assert answer.headers["X-Memory-Session"] == "agent:house:openai:direct:Eva%20S"
    assert answer.headers["X-Memory-Status"] == "ok"
