"""Bodies as the web server hands them over: in chunks, with a length, too large, too slow, too many."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest

from memory_appliance.admission.bodies import ReceivedBodies

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

LIMIT = 1024 * 1024


class Stalled(io.RawIOBase):
    """A sender that stops in the middle; `end` is its connection's."""

    def __init__(self) -> None:
        self.end = threading.Event()

    def read(self, _size: int = -1) -> bytes:
        self.end.wait(20)
        return b"{"


def body_that_django_sees(environ: WSGIEnvironment, _start: Any) -> list[bytes]:
    return [WSGIRequest(environ).body]


def received(sent: Any, refused: list[str] | None = None, **environ: Any) -> bytes:
    stream = io.BytesIO(sent) if isinstance(sent, bytes) else sent
    server = {"REQUEST_METHOD": "POST", "wsgi.input": stream, "wsgi.input_terminated": True}
    reasons: list[str] = [] if refused is None else refused
    bodies = ReceivedBodies(body_that_django_sees, limit=LIMIT, refused=reasons.append)
    return b"".join(bodies(server | environ, lambda *_: None))


def test_a_body_in_chunks_is_read() -> None:
    assert received(b'{"query": "key"}') == b'{"query": "key"}'


def test_of_a_body_with_a_length_no_more_is_read() -> None:
    assert received(b"key and more", CONTENT_LENGTH="3") == b"key"


def test_a_connection_that_does_not_end_by_itself_is_not_waited_for() -> None:
    assert received(b"anything", **{"wsgi.input_terminated": False}) == b""


@pytest.mark.parametrize("size", [LIMIT + 1, 3 * LIMIT])
@pytest.mark.parametrize("announced", [True, False])
def test_one_that_is_too_large_is_refused(size: int, announced: bool) -> None:
    with pytest.raises(RequestDataTooBig):
        received(b"x" * size, **({"CONTENT_LENGTH": str(size)} if announced else {}))


def test_one_that_is_announced_as_too_large_is_not_even_read() -> None:
    with pytest.raises(RequestDataTooBig):
        received(Stalled(), CONTENT_LENGTH=str(10**12))


def test_a_length_that_is_no_number_is_as_none() -> None:
    assert received(b"key", CONTENT_LENGTH="-1") == b""


def test_a_connection_that_breaks_is_no_fault_of_the_server() -> None:
    class Broken(io.RawIOBase):
        def read(self, _size: int = -1) -> bytes:
            raise OSError("reset")

    assert b"bad_request" in received(Broken(), CONTENT_LENGTH="9")


def test_slow_senders_fill_their_own_places_alone() -> None:
    reasons, slow = list[str](), [Stalled() for _ in range(3)]
    bodies = ReceivedBodies(body_that_django_sees, limit=LIMIT, refused=reasons.append, at_once=3)

    def ask(stream: Any) -> bytes:
        return b"".join(
            bodies({"REQUEST_METHOD": "POST", "CONTENT_LENGTH": "1", "wsgi.input": stream}, lambda *_: None)
        )

    threads = [threading.Thread(target=ask, args=(stream,)) for stream in slow]
    for thread in threads:
        thread.start()
    while bodies._places._value:
        pass
    assert b"too_many_requests" in ask(io.BytesIO(b"x")) and reasons == ["bodies"]
    assert bodies({"REQUEST_METHOD": "GET", "wsgi.input": io.BytesIO()}, lambda *_: None) == [b""]
    for stream in slow:
        stream.end.set()
    for thread in threads:
        thread.join()
    assert ask(io.BytesIO(b"x")) == b"x"
