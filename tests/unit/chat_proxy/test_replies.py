"""The words of an answer, however its bytes are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_appliance.chat_proxy.replies import MAX_BYTES, Reply


def events(*choices: dict[str, Any], end: bytes = b"data: [DONE]\n\n") -> bytes:
    return (
        b": hello\n\n"
        + b"".join(b"data: " + json.dumps({"choices": [one]}).encode() + b"\r\n\r\n" for one in choices)
        + end
    )


def said(content: bytes, *, stream: bool, step: int) -> str:
    reply = Reply(stream=stream)
    for at in range(0, len(content), step):
        reply.feed(content[at : at + step])
    return reply.text


WORDS = (
    {"index": 0, "delta": {"role": "assistant", "content": "Blå "}},
    {"index": 1, "delta": {"content": "no"}},
    {"index": 0, "delta": {"content": "梅"}},
)


@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_the_words_of_a_stream_are_read_across_its_parts(step: int) -> None:
    assert said(events(*WORDS), stream=True, step=step) == "Blå 梅"
    stopped = {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert said(events(*WORDS, stopped, end=b""), stream=True, step=step) == "Blå 梅"


def test_an_answer_that_broke_off_or_is_none_has_no_words() -> None:
    assert said(events(*WORDS, end=b""), stream=True, step=9) == ""
    assert said(b'{"choices": [{"message": {"content": "half', stream=False, step=9) == ""
    for strange in ([], {"choices": 1}, {"choices": [{"message": 1}]}, {"choices": [{"message": {"content": [1]}}]}):
        assert said(json.dumps(strange).encode(), stream=False, step=99) == ""
        assert said(b"data: " + json.dumps(strange).encode() + b"\n\ndata: [DONE]\n\n", stream=True, step=99) == ""


def test_a_whole_answer_is_read_and_a_giant_one_is_left_alone() -> None:
    whole = {"choices": [{"index": 0, "message": {"content": "Yes."}}]}
    assert said(json.dumps(whole).encode(), stream=False, step=5) == "Yes."
    assert said(json.dumps(whole).encode() + b" " * MAX_BYTES, stream=False, step=2**20) == ""
