"""Every way a provider can fail, in the vendors' own words: what is tried again, what is not, what is said."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from search.errors import EmbedderUnavailable
from search.runtime.providers.address import checked_url
from search.runtime.providers.failures import classify
from tests.unit.providers.conftest import KEY, Serve, embedder_at
from tests.unit.providers.vendors import Answer, Asked, Said, in_shape, well

OPENAI_KEY = {
    "error": {
        "message": f"Incorrect API key provided: {KEY}.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }
}
OPENAI_QUOTA = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
OPENAI_LIMIT = {"error": {"message": "Rate limit reached for model", "type": "requests", "code": "rate_limit_exceeded"}}


def gemini(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


GEMINI_QUOTA = "You exceeded your current quota, please check your plan and billing details."
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}
PER_DAY = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "EmbedContentRequestsPerDayPerUserPerProjectPerModel-FreeTier"}],
}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, OPENAI_KEY, "auth"),
        (429, OPENAI_QUOTA, "quota"),
        (429, OPENAI_LIMIT, "rate_limited"),
        (400, gemini(400, "INVALID_ARGUMENT", "API key not valid.", {"reason": "API_KEY_INVALID"}), "auth"),
        (403, gemini(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers"), "auth"),
        (429, gemini(429, "RESOURCE_EXHAUSTED", GEMINI_QUOTA, RETRY_INFO), "rate_limited"),
        (429, gemini(429, "RESOURCE_EXHAUSTED", GEMINI_QUOTA, PER_DAY, RETRY_INFO), "quota"),
        (400, gemini(400, "INVALID_ARGUMENT", "at most 100 requests can be in one batch"), "too_large"),
        (404, gemini(404, "NOT_FOUND", "models/x is not found for API version v1beta"), "not_found"),
        (401, {"detail": "Provided API key is invalid."}, "auth"),
        (429, {"detail": "You have not yet added your payment method in the billing page"}, "quota"),
        (401, {"message": "Unauthorized", "request_id": "1"}, "auth"),
        (
            422,
            {"object": "error", "message": {"detail": [{"type": "missing", "msg": "Field required"}]}},
            "bad_request",
        ),
        (429, {"object": "error", "message": "Requests rate limit exceeded", "code": "1300"}, "rate_limited"),
        (404, {"error": 'model "x" not found, try pulling it first'}, "not_found"),
        (402, {"error": "Payment Required"}, "quota"),
        (503, "<html>Service Unavailable</html>", "server_error"),
        (529, None, "server_error"),
        (418, [["deep"]], "bad_request"),
    ],
)
def test_an_error_is_understood_in_the_vendors_own_words(status: int, body: Any, kind: str) -> None:
    failure = classify("vendor", status, {}, body, secret=KEY)
    assert failure.kind == kind
    assert failure.hint
    assert KEY not in failure.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=3))}, 3600),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "99999999"}, 3600),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
    ],
)
def test_the_pause_a_provider_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    found = classify("vendor", 429, headers, "").retry_after
    assert found == seconds or (found is not None and found == pytest.approx(seconds, abs=2))


def fails(times: int, said: Said, vendor: str = "openai") -> Answer:
    """That many failures, then a good answer."""
    left = [times]

    def answer(asked: Asked) -> Said:
        left[0] -= 1
        return said if left[0] >= 0 else well(vendor)(asked)

    return answer


def test_a_faulty_server_is_tried_again(serve: Serve) -> None:
    server = serve(fails(1, Said("oops", 500)))
    assert embedder_at(server, "openai").embed_documents(["a"], timeout=10).shape == (1, 4)
    assert len(server.asked) == 2


def test_retry_after_is_obeyed(serve: Serve) -> None:
    server = serve(fails(1, Said(OPENAI_LIMIT, 429, {"Retry-After": "1"})))
    begin = time.monotonic()
    embedder_at(server, "openai").embed_documents(["a"], timeout=10)
    assert 1.0 <= time.monotonic() - begin < 1.5


def test_a_pause_beyond_the_time_limit_is_not_waited_for(serve: Serve) -> None:
    server = serve(fails(9, Said(OPENAI_LIMIT, 429, {"Retry-After": "40"})))
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="rate_limited") as error:
        embedder_at(server, "openai").embed_documents(["a"], timeout=10)
    assert time.monotonic() - begin < 1
    assert error.value.wait_seconds == 40


@pytest.mark.parametrize(("said", "kind"), [(Said(OPENAI_QUOTA, 429), "quota"), (Said(OPENAI_KEY, 401), "auth")])
def test_quota_and_key_errors_are_not_tried_again(serve: Serve, said: Said, kind: str) -> None:
    server = serve(lambda asked: said)
    with pytest.raises(EmbedderUnavailable, match=rf"openai failed \({kind}\)") as error:
        embedder_at(server, "openai").embed_documents(["a"], timeout=10)
    assert len(server.asked) == 1
    assert (error.value.kind, error.value.wait_seconds) == (kind, 60)
    assert KEY not in str(error.value) + error.value.hint


def test_a_query_does_not_sit_out_a_rate_limit(serve: Serve) -> None:
    server = serve(lambda asked: Said(OPENAI_LIMIT, 429))
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="rate_limited"):
        embedder_at(server, "openai").embed_query("a", timeout=10)
    assert time.monotonic() - begin < 1


def test_a_failing_provider_is_left_alone_by_the_next_queries(serve: Serve) -> None:
    server = serve(lambda asked: Said(OPENAI_QUOTA, 429))
    embedder = embedder_at(server, "openai")
    for text in ("a", "b", "c"):
        with pytest.raises(EmbedderUnavailable, match="quota"):
            embedder.embed_query(text, timeout=5)
    assert len(server.asked) == 1


def test_a_success_of_the_indexing_ends_the_rest(serve: Serve) -> None:
    server = serve(fails(1, Said(OPENAI_QUOTA, 429)))
    embedder = embedder_at(server, "openai")
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("a", timeout=5)
    embedder.embed_documents(["a"], timeout=5)
    assert embedder.embed_query("a", timeout=5).shape == (4,)


def test_a_slow_provider_is_given_up_in_time(serve: Serve) -> None:
    server = serve(lambda asked: Said(well("openai")(asked).body, seconds=3))
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="timeout"):
        embedder_at(server, "openai").embed_query("a", timeout=0.3)
    assert time.monotonic() - begin < 0.8


def test_nobody_at_the_address_is_said_with_the_host(serve: Serve) -> None:
    server = serve(well("openai"))
    embedder = embedder_at(server, "openai")
    server.stop()
    with pytest.raises(EmbedderUnavailable, match=r"unreachable.*127\.0\.0\.1"):
        embedder.embed_query("a", timeout=0.4)


def rows(*vectors: list[float]) -> Answer:
    return lambda asked: Said(in_shape("openai", list(vectors)))


@pytest.mark.parametrize(
    "answer",
    [
        lambda asked: Said(b"<html>hello</html>"),
        lambda asked: Said(b"[[[[" * 20_000),
        lambda asked: Said({"data": []}),
        lambda asked: Said({"data": [{"index": 0, "embedding": "AAAA"}]}),
        lambda asked: Said({"data": [{"index": 5, "embedding": [1.0]}]}),
        lambda asked: Said({"embeddings": [[1.0]]}),
        lambda asked: Said([]),
        lambda asked: Said(None),
        rows([1, 0, 0, 0], [1, 0, 0, 0]),
        rows([]),
        rows([0, 0, 0, 0]),
        rows([float("nan"), 0, 0, 1]),
        rows([float("inf"), 0, 0, 1]),
        lambda asked: Said("", 302, {"Location": "http://127.0.0.1:9/"}),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused(serve: Serve, answer: Answer) -> None:
    server = serve(answer)
    with pytest.raises(EmbedderUnavailable, match="openai failed"):
        embedder_at(server, "openai").embed_query("a", timeout=5)
    assert len(server.asked) == 1


def test_another_dimension_than_the_models_is_refused(serve: Serve) -> None:
    server = serve(rows([1, 0, 0, 0]))
    with pytest.raises(EmbedderUnavailable, match="4 dimensions, expected 1536"):
        embedder_at(server, "openai", model="text-embedding-3-small").embed_query("a", timeout=5)


def test_one_empty_vector_among_good_ones_is_left_to_the_index(serve: Serve) -> None:
    server = serve(rows([1, 0, 0, 0], [0, 0, 0, 0]))
    vectors = embedder_at(server, "openai").embed_documents(["a", "b"], timeout=5)
    assert vectors.any(axis=1).tolist() == [True, False]


@pytest.mark.parametrize("url", ["", "ftp://x", "x.example", "https://u:p@x.example", "http://x/?key=1", "http://"])
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="an address"):
        checked_url(url)
