"""Health checks tell a program that works from one that is there, silent, or wrong."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from memory_appliance.launch.healthy import CHECKS, main
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.programs import programs
from workers.alive import say_alive
from workers.wire import receive, send


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    (tmp_path / "run").mkdir()
    return tmp_path


def said(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    return main([name]), capsys.readouterr().out


@contextmanager
def listening(path: Path, answer: bytes) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()


@contextmanager
def web_that_answers(status: int) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/health/ready" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on the test's output."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        yield server.server_port
        thread.join()


def test_every_long_running_program_has_a_check() -> None:
    table = programs(
        Layout(Path("/data"), "::", 1),
        own_broker=True,
        web_workers=1,
        web_threads=1,
        model_workers=1,
        chat_proxy_port=2,
    )
    assert {program.name for program in table if not program.once} == set(CHECKS)


@pytest.mark.parametrize("name", ["worker", "beat", "watcher"])
def test_a_sign_of_life_makes_well_and_silence_does_not(
    name: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(name, capsys) == (1, f"{name} gave no sign of life yet\n")
    say_alive(data_dir / "run", name)
    assert said(name, capsys)[0] == 0
    then = time.time() - 31
    os.utime(data_dir / "run" / "alive" / name, (then, then))
    assert said(name, capsys) == (1, f"{name} silent for 31 s\n")


@pytest.mark.parametrize("name", list(CHECKS))
def test_nothing_there_is_not_well(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PORT", "1")
    monkeypatch.setenv("MEMORY_CHAT_PROXY_PORT", "1")
    assert main([name]) == 1


@pytest.mark.parametrize(("answer", "code"), [(b"+PONG\r\n", 0), (b"-LOADING\r\n", 1), (b"", 1)])
def test_a_broker_must_answer_a_ping(answer: bytes, code: int, data_dir: Path) -> None:
    with listening(data_dir / "run" / "broker.sock", answer):
        assert main(["broker"]) == code


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_web_must_be_ready(status: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with web_that_answers(status) as port:
        monkeypatch.setenv("MEMORY_PORT", str(port))
        assert main(["web"]) == code


@pytest.mark.parametrize(("state", "code"), [("ready", 0), ("loading", 1), ("failed", 1)])
def test_models_must_be_ready(state: str, code: int, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(data_dir / "run" / "models.sock"))
        listener.listen()
        thread = threading.Thread(target=answer_status, args=(listener, state))
        thread.start()
        assert said("models", capsys)[0] == code
        thread.join()


def answer_status(listener: socket.socket, state: str) -> None:
    connection, _ = listener.accept()
    deadline = time.monotonic() + 5
    with connection:
        receive(connection, deadline=deadline)
        send(connection, {"status": {"state": state, "detail": "because"}}, deadline=deadline)
