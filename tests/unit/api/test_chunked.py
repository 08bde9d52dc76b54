"""Bodies that come in chunks, as the web server hands them over."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest

from memory_appliance.chunked import MeasuredBody


def _body_that_django_sees(sent: bytes, **environ: Any) -> bytes:
    application = MeasuredBody(lambda environ, start_response: [WSGIRequest(environ).body])
    server = {"REQUEST_METHOD": "POST", "wsgi.input": io.BytesIO(sent), "wsgi.input_terminated": True}
    [body] = application(server | environ, lambda *_: None)
    return body


def test_a_body_in_chunks_is_read() -> None:
    assert _body_that_django_sees(b'{"query": "key"}') == b'{"query": "key"}'


def test_a_body_with_a_length_is_left_alone() -> None:
    assert _body_that_django_sees(b"key and more", CONTENT_LENGTH="3") == b"key"


def test_a_connection_that_does_not_end_by_itself_is_not_waited_for() -> None:
    assert _body_that_django_sees(b"anything", **{"wsgi.input_terminated": False}) == b""


@pytest.mark.parametrize("size", [1024 * 1024 + 1, 3 * 1024 * 1024])
def test_one_that_is_too_large_is_refused(size: int) -> None:
    with pytest.raises(RequestDataTooBig):
        _body_that_django_sees(b"x" * size)
