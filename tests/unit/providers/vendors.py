"""A loopback server that answers as the vendors document it, or as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Said:
    """One answer: JSON, or bytes as they are. `seconds` is how long the server thinks about it."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


Answer = Callable[[Asked], Said]


class VendorServer:
    """`answer` may be replaced between two requests; `asked` is everything that came."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length", 0)))
                asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(text))
                server.asked.append(asked)
                said = server.answer(asked)
                time.sleep(said.seconds)
                data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
                self.send_response(said.status)
                for name, value in {"Content-Length": str(len(data)), **said.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Not to the terminal."""

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    return  # a client that had no patience

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(answer: Answer) -> Iterator[VendorServer]:
    server = VendorServer(answer)
    try:
        yield server
    finally:
        server.stop()


def vector_of(text: str) -> list[float]:
    """Four dimensions; tells texts of another length apart."""
    return [float(len(text)), 1.0, 0.0, 0.5]


def data_answer(vectors: list[list[float]]) -> dict[str, Any]:
    """As OpenAI, Voyage and Mistral answer; shuffled, because only `index` is promised."""
    rows = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return {"object": "list", "data": rows[::-1], "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def texts_of(asked: Asked) -> list[str]:
    if "requests" in asked.body:
        return [request["content"]["parts"][0]["text"] for request in asked.body["requests"]]
    return list(asked.body["input"])


def in_shape(vendor: str, vectors: list[list[float]]) -> dict[str, Any]:
    if vendor == "gemini":
        return {"embeddings": [{"values": vector} for vector in vectors]}
    if vendor == "ollama":
        return {"model": "m", "embeddings": vectors, "total_duration": 1, "load_duration": 1, "prompt_eval_count": 1}
    return data_answer(vectors)


def well(vendor: str) -> Answer:
    return lambda asked: Said(in_shape(vendor, [vector_of(text) for text in texts_of(asked)]))
