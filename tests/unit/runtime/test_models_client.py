"""The client of the models process against servers that misbehave in every way it knows."""

import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.spec import EmbeddingIdentity
from workers.client import ModelsClient
from workers.model_status import ModelStatus
from workers.wire import WireError, pack, receive, send

IDENTITY = EmbeddingIdentity("local", "tiny", 4, "f1")
Answer = Callable[[dict[str, Any]], tuple[dict[str, Any], bytes]]


class Server:
    """Speaks the protocol; `answer` decides what it says. `requests` is what it was asked."""

    def __init__(self, path: Path, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self._connections: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            while True:
                request = receive(connection, deadline=time.monotonic() + 60)[0]
                self.requests.append(request)
                send(connection, *self.answer(request), deadline=time.monotonic() + 5)
        except (OSError, WireError):
            return

    def stop(self) -> None:
        """As if the process had been killed: the socket file stays."""
        if self._listener.fileno() < 0:
            return
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def well(request: dict[str, Any], identity: EmbeddingIdentity = IDENTITY) -> tuple[dict[str, Any], bytes]:
    vectors = np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(request["texts"]), 1))
    status = ModelStatus("ready", model=identity.model, dims=identity.dims, fingerprint=identity.fingerprint)
    return {"identity": asdict(identity), "status": asdict(status)}, pack(vectors)


def embedding(*rows: list[float]) -> Answer:
    return lambda request: ({"identity": asdict(IDENTITY)}, pack(np.array(rows, dtype=np.float32)))


@pytest.fixture
def path() -> Iterator[Path]:
    """A socket path short enough for the system, whatever the test's own folder is called."""
    folder = Path(tempfile.mkdtemp(prefix="ma-"))
    yield folder / "models.sock"
    shutil.rmtree(folder)


@pytest.fixture
def start(path: Path) -> Iterator[Callable[[Answer], Server]]:
    servers: list[Server] = []

    def started(answer: Answer) -> Server:
        path.unlink(missing_ok=True)
        servers.append(Server(path, answer))
        return servers[-1]

    yield started
    for server in servers:
        server.stop()


@pytest.fixture
def client(path: Path) -> Iterator[ModelsClient]:
    client = ModelsClient(path)
    yield client
    client.close()


Start = Callable[[Answer], Server]


def test_a_process_that_is_not_there_is_named_at_once(client: ModelsClient) -> None:
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="the models process is not running") as error:
        client.embed_query("key", timeout=5)
    assert error.value.hint
    assert time.monotonic() - begin < 0.2


def test_the_status_of_a_process_that_is_not_there_is_down(client: ModelsClient) -> None:
    status = client.status()
    assert (status.state, status.detail) == ("down", "the models process is not running")


def test_a_socket_that_a_killed_process_left_is_down_too(client: ModelsClient, start: Start) -> None:
    start(well).stop()
    assert client.status().state == "down"


def test_a_dead_process_is_tried_again_only_after_a_moment(client: ModelsClient, start: Start) -> None:
    with pytest.raises(EmbedderUnavailable):
        client.embed_query("key", timeout=1)
    start(well)
    with pytest.raises(EmbedderUnavailable, match="not running"):
        client.embed_query("key", timeout=1)
    time.sleep(1.05)
    assert client.embed_query("key", timeout=1).tolist() == [1, 0, 0, 0]


def test_no_query_is_remembered_for_all_who_share_the_client(client: ModelsClient, start: Start) -> None:
    server = start(well)
    for _ in range(3):
        client.embed_query("key", timeout=1)
    assert len(server.requests) == 3


def test_the_identity_is_asked_once(client: ModelsClient, start: Start) -> None:
    server = start(well)
    assert {client.identity() for _ in range(5)} == {IDENTITY}
    assert len(server.requests) == 1


def test_another_model_after_a_restart_is_noticed_before_anything_is_embedded(
    client: ModelsClient, start: Start
) -> None:
    first = start(well)
    client.embed_query("key", timeout=1)
    first.stop()
    other = EmbeddingIdentity("local", "other", 4, "f2")
    second = start(lambda request: well(request, other))
    assert client.identity() == other
    client.embed_query("key", timeout=1)
    assert second.requests[-1]["operation"] == "embed_query"


def test_the_last_identity_stays_known_while_nobody_answers(client: ModelsClient, start: Start) -> None:
    server = start(well)
    client.identity()
    server.stop()
    assert client.identity() == IDENTITY


def test_an_identity_that_was_never_known_is_an_error(client: ModelsClient) -> None:
    with pytest.raises(EmbedderUnavailable, match="not running"):
        client.identity()


def test_a_restart_between_two_calls_is_not_felt(client: ModelsClient, start: Start) -> None:
    start(well).stop()
    first = start(well)
    client.embed_documents(["a"], timeout=1)
    first.stop()
    start(well)
    assert client.embed_documents(["b"], timeout=1).shape == (1, 4)


def test_a_slow_answer_is_given_up_exactly_at_the_timeout(client: ModelsClient, start: Start) -> None:
    start(lambda request: (time.sleep(1.0), well(request))[1])
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="timed out after 300 ms"):
        client.embed_query("key", timeout=0.3)
    assert 0.29 <= time.monotonic() - begin < 0.4


def test_an_answer_that_came_too_late_is_never_taken_for_the_next(client: ModelsClient, start: Start) -> None:
    def answer(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        time.sleep(0.3 if request["texts"] == ["slow"] else 0)
        return embedding([9, 0, 0, 0] if request["texts"] == ["slow"] else [0, 7, 0, 0])(request)

    start(answer)
    with pytest.raises(EmbedderUnavailable):
        client.embed_query("slow", timeout=0.1)
    time.sleep(0.3)
    assert client.embed_query("quick", timeout=1).tolist() == [0, 7, 0, 0]


def test_the_servers_reason_and_hint_are_passed_on(client: ModelsClient, start: Start) -> None:
    start(lambda request: ({"error": "the local model is still building: 3/83", "hint": "Wait."}, b""))
    with pytest.raises(EmbedderUnavailable, match="still building: 3/83") as error:
        client.embed_query("key", timeout=1)
    assert error.value.hint == "Wait."


@pytest.mark.parametrize(
    "answer",
    [
        embedding([0, 0, 0, 0]),
        embedding([1, 0, 0, float("nan")]),
        embedding([1, 0, 0, float("inf")]),
        embedding([1, 0, 0]),
        embedding([1, 0, 0, 0], [1, 0, 0, 0]),
        embedding(),
        lambda request: ({}, b""),
        lambda request: ({"identity": None}, bytes(16)),
        lambda request: ({"identity": {"provider": "local"}}, bytes(16)),
        lambda request: ({"identity": {**asdict(IDENTITY), "dims": "4"}}, bytes(16)),
        lambda request: ({"identity": {**asdict(IDENTITY), "dims": 0}}, b""),
        lambda request: ({"identity": asdict(IDENTITY), "protocol": 99}, bytes(16)),
    ],
    ids=["zero", "nan", "inf", "short", "two", "none", "empty", "null", "partial", "text", "no dims", "version"],
)
def test_an_answer_that_cannot_be_used_is_refused(client: ModelsClient, start: Start, answer: Answer) -> None:
    start(answer)
    with pytest.raises(EmbedderUnavailable, match="cannot be used"):
        client.embed_query("key", timeout=1)


@pytest.mark.parametrize("status", [None, [], {}, {"state": "ready"}, {**asdict(ModelStatus("down")), "state": "x"}])
def test_a_status_that_cannot_be_used_is_down(client: ModelsClient, start: Start, status: object) -> None:
    start(lambda request: ({"status": status}, b""))
    assert client.status().state == "down"


def test_many_documents_go_in_several_requests_and_come_back_in_order(client: ModelsClient, start: Start) -> None:
    def answer(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        return embedding(*([float(text), 1, 1, 1] for text in request["texts"]))(request)

    server = start(answer)
    vectors = client.embed_documents([str(number) for number in range(150)], timeout=5)
    assert vectors[:, 0].tolist() == list(range(150))
    assert [len(request["texts"]) for request in server.requests] == [64, 64, 22]


def test_no_documents_give_no_vectors(client: ModelsClient, start: Start) -> None:
    start(well)
    assert client.embed_documents([], timeout=1).shape == (0, 4)


def test_a_text_beyond_the_protocol_is_refused_before_it_is_sent(client: ModelsClient, start: Start) -> None:
    server = start(well)
    with pytest.raises(EmbedderUnavailable, match="too long to embed"):
        client.embed_documents(["a" * 3_000_000], timeout=1)
    assert not server.requests


def test_threads_share_the_client(client: ModelsClient, start: Start) -> None:
    start(embedding([0, 3, 0, 0]))
    found: list[list[float]] = []
    work = [
        threading.Thread(target=lambda n=n: found.append(client.embed_query(str(n), timeout=5).tolist()))
        for n in range(40)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [[0, 3, 0, 0]] * 40


def test_a_forked_child_has_connections_of_its_own(client: ModelsClient, start: Start) -> None:
    server = start(well)
    client.embed_query("parent", timeout=1)
    child = os.fork()
    if child == 0:
        os._exit(0 if client.embed_query("child", timeout=1).tolist() == [1, 0, 0, 0] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(server._connections) == 2
    assert client.embed_query("parent again", timeout=1).tolist() == [1, 0, 0, 0]
