"""ModelServer: a model on loopback that speaks the vendors' formats, answers by rules and records what it was asked.

OpenAI's chat completions and responses and Anthropic's messages, each plain and as a stream of events. A rule names
words of the user's latest message and the answers to it: the first at once, the next after the result of a tool, and
so on.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "loopback-1"


@dataclass(frozen=True)
class Call:
    """An answer that calls a tool."""

    tool: str
    arguments: dict[str, Any]


Answer = str | Call


@dataclass(frozen=True)
class Asked:
    """One request, the same for each format. `said` are the texts of user, assistant and tool in their order."""

    path: str
    body: dict[str, Any]
    system: str
    said: list[tuple[str, str]]
    tools: list[str]

    @property
    def user(self) -> str:
        """The latest words of the user, with what the client put around them, also in messages of its own."""
        return "\n".join(text for role, text in self.said[self._turn :] if role == "user")

    @property
    def own(self) -> str:
        """`user` without the block of memory, which may quote words of another rule."""
        return re.sub(r"<memory_notes.*?</memory_notes>", "", self.user, flags=re.DOTALL)

    @property
    def results(self) -> list[str]:
        """What tools gave back since then."""
        return [text for role, text in self.said[self._turn :] if role == "tool"]

    @property
    def _turn(self) -> int:
        """Where the latest message of the user begins: behind the last answer in words."""
        answers = (place for place, (role, text) in enumerate(self.said) if role == "assistant" and text)
        return max(answers, default=-1) + 1

    @property
    def everything(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)


@dataclass
class ModelServer:
    rules: dict[str, tuple[Answer, ...]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> ModelServer:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def turn(self, words: str) -> list[Asked]:
        """The requests of the turns whose message has these words."""
        return [one for one in self.asked if words in one.user]

    def answer_to(self, asked: Asked) -> Answer:
        for words, answers in self.rules.items():
            if words in asked.own:
                return answers[min(len(asked.results), len(answers) - 1)]
        return "Understood."


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            models = {"object": "list", "data": [{"id": MODEL, "object": "model", "type": "model"}]}
            self._send(200, "application/json", json.dumps(models).encode())

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._send(200, "application/json", b'{"input_tokens": 100}')
                return
            formats: dict[str, tuple[Callable[..., Asked], Callable[..., Any]]] = {
                "/chat/completions": (_read_chat, _chat),
                "/responses": (_read_responses, _responses),
                "/messages": (_read_messages, _messages),
            }
            for end, (read, write) in formats.items():
                if path.endswith(end):
                    asked = read(path, body)
                    model.asked.append(asked)
                    whole, events = write(model.answer_to(asked))
                    if body.get("stream"):
                        self._send(200, "text/event-stream", "".join(events).encode())
                    else:
                        self._send(200, "application/json", json.dumps(whole).encode())
                    return
            self._send(404, "application/json", b'{"error": {"message": "There is no such address."}}')

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    return Handler


def _text(content: Any) -> str:
    """The words of a message's content, whatever its parts are called."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _read_chat(path: str, body: dict[str, Any]) -> Asked:
    said = [(str(one["role"]), _text(one.get("content"))) for one in body["messages"]]
    system = "\n".join(text for role, text in said if role in ("system", "developer"))
    names = [tool["function"]["name"] for tool in body.get("tools") or []]
    return Asked(path, body, system, [one for one in said if one[0] not in ("system", "developer")], names)


def _read_responses(path: str, body: dict[str, Any]) -> Asked:
    items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    said, system = [], [str(body.get("instructions") or "")]
    for item in items:
        if item.get("type", "").endswith("_output"):
            output = item.get("output")
            said.append(("tool", output if isinstance(output, str) else json.dumps(output)))
        elif item.get("role") in ("system", "developer"):
            system.append(_text(item.get("content")))
        elif "role" in item:
            said.append((str(item["role"]), _text(item.get("content"))))
    return Asked(path, body, "\n".join(system), said, [str(tool.get("name")) for tool in body.get("tools") or []])


def _read_messages(path: str, body: dict[str, Any]) -> Asked:
    said = []
    for one in body["messages"]:
        parts = one["content"] if isinstance(one["content"], list) else [{"type": "text", "text": one["content"]}]
        said += [("tool", _text(part.get("content"))) for part in parts if part.get("type") == "tool_result"]
        words = _text(parts)
        if words:
            said.append((str(one["role"]), words))
    return Asked(path, body, _text(body.get("system")), said, [tool["name"] for tool in body.get("tools") or []])


def _sse(events: Iterator[dict[str, Any]] | list[dict[str, Any]], *, named: bool) -> list[str]:
    return [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]


def _chat(answer: Answer) -> tuple[dict[str, Any], list[str]]:
    """Chat completions: https://platform.openai.com/docs/api-reference/chat."""
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else None}
    reason = "stop"
    if isinstance(answer, Call):
        function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
        reason = "tool_calls"
    head = {"id": "chatcmpl-1", "created": 1, "model": MODEL}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }
    chunk = {**head, "object": "chat.completion.chunk"}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    return whole, [*_sse(events, named=False), "data: [DONE]\n\n"]


def _responses(answer: Answer) -> tuple[dict[str, Any], list[str]]:
    """Responses: https://platform.openai.com/docs/api-reference/responses-streaming."""
    if isinstance(answer, Call):
        item: dict[str, Any] = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": answer.tool,
            "arguments": json.dumps(answer.arguments),
            "status": "completed",
        }
    else:
        part = {"type": "output_text", "text": answer, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    usage = {
        "input_tokens": 100,
        "output_tokens": 10,
        "total_tokens": 110,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": MODEL, "status": "completed"}
    done = {**whole, "output": [item], "usage": usage}
    started = {**whole, "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": started, "sequence_number": 0},
        {"type": "response.output_item.added", "output_index": 0, "item": item, "sequence_number": 1},
        {"type": "response.output_item.done", "output_index": 0, "item": item, "sequence_number": 2},
        {"type": "response.completed", "response": done, "sequence_number": 3},
    ]
    return done, _sse(events, named=True)


def _messages(answer: Answer) -> tuple[dict[str, Any], list[str]]:
    """Messages: https://docs.anthropic.com/en/api/messages-streaming."""
    usage = {"input_tokens": 100, "output_tokens": 10}
    if isinstance(answer, Call):
        block = {"type": "tool_use", "id": "toolu_1", "name": answer.tool, "input": answer.arguments}
        empty: dict[str, Any] = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": answer}
        empty, delta, reason = {"type": "text", "text": ""}, {"type": "text_delta", "text": answer}, "end_turn"
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_sequence": None}
    whole = {**head, "content": [block], "stop_reason": reason, "usage": usage}
    events = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return whole, _sse(events, named=True)
