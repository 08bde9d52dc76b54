"""Each vendor's requests and answers, as its documentation shows them."""

from __future__ import annotations

import numpy as np
import pytest

from search.runtime.providers.address import Address
from search.runtime.providers.embedder import RemoteEmbedder
from tests.unit.providers.conftest import KEY, VENDORS, Serve, embedder_at
from tests.unit.providers.vendors import texts_of, vector_of, well

TEXTS = ["a", "bbb", "cc 二"]


@pytest.mark.parametrize("vendor", VENDORS)
def test_documents_come_back_in_order_and_of_length_one(serve: Serve, vendor: str) -> None:
    server = serve(well(vendor))
    vectors = embedder_at(server, vendor).embed_documents(TEXTS, timeout=5)
    expected = np.array([vector_of(text) for text in texts_of(server.asked[0])])
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize(
    ("vendor", "path", "header"),
    [
        ("openai", "/embeddings", ("authorization", f"Bearer {KEY}")),
        ("voyage", "/embeddings", ("authorization", f"Bearer {KEY}")),
        ("mistral", "/embeddings", ("authorization", f"Bearer {KEY}")),
        ("gemini", "/models/m:batchEmbedContents", ("x-goog-api-key", KEY)),
        ("ollama", "/api/embed", ("authorization", f"Bearer {KEY}")),
    ],
)
def test_the_request_goes_where_the_vendor_wants_it(
    serve: Serve, vendor: str, path: str, header: tuple[str, str]
) -> None:
    server = serve(well(vendor))
    embedder_at(server, vendor).embed_query("key", timeout=5)
    assert server.asked[0].path == path
    assert server.asked[0].headers[header[0]] == header[1]


def test_openai_is_asked_for_floats_and_for_fewer_dimensions_only_when_wanted(serve: Serve) -> None:
    server = serve(well("openai"))
    embedder_at(server, "openai").embed_query("key", timeout=5)
    embedder_at(server, "openai", dims=4).embed_query("key", timeout=5)
    assert server.asked[0].body == {"model": "m", "input": ["key"], "encoding_format": "float"}
    assert server.asked[1].body["dimensions"] == 4


def test_voyage_is_told_what_a_text_is(serve: Serve) -> None:
    server = serve(well("voyage"))
    embedder = RemoteEmbedder(VENDORS["voyage"], "m", Address("voyage", server.url, KEY), dims=4)
    embedder.embed_query("key", timeout=5)
    embedder.embed_documents(["key"], timeout=5)
    assert [asked.body["input_type"] for asked in server.asked] == ["query", "document"]
    assert server.asked[0].body["output_dimension"] == 4


def test_gemini_is_told_by_task_type(serve: Serve) -> None:
    server = serve(well("gemini"))
    embedder = embedder_at(server, "gemini", model="gemini-embedding-001", dims=4)
    embedder.embed_query("key", timeout=5)
    embedder.embed_documents(["key"], timeout=5)
    first, second = (asked.body["requests"][0] for asked in server.asked)
    assert first == {
        "model": "models/gemini-embedding-001",
        "taskType": "RETRIEVAL_QUERY",
        "outputDimensionality": 4,
        "content": {"parts": [{"text": "key"}]},
    }
    assert second["taskType"] == "RETRIEVAL_DOCUMENT"


def test_newer_gemini_models_are_told_by_words(serve: Serve) -> None:
    server = serve(well("gemini"))
    embedder = embedder_at(server, "gemini", model="gemini-embedding-2", dims=4)
    embedder.embed_query("key", timeout=5)
    embedder.embed_documents(["key"], timeout=5)
    assert [texts_of(asked) for asked in server.asked] == [
        ["task: search result | query: key"],
        ["title: none | text: key"],
    ]
    assert "taskType" not in server.asked[0].body["requests"][0]


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("nomic-embed-text:latest", "search_query: key", "key"),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: key", "key"),
        ("intfloat/multilingual-e5-large", "query: key", "passage: key"),
        ("my-own-model", "key", "key"),
    ],
)
def test_open_models_get_the_prompts_they_were_trained_with(
    serve: Serve, model: str, query: str, document: str
) -> None:
    server = serve(well("ollama"))
    embedder = embedder_at(server, "ollama", model=model, dims=4)
    embedder.embed_query("key", timeout=5)
    embedder.embed_documents(["key"], timeout=5)
    assert [texts_of(asked) for asked in server.asked] == [[query], [document]]


@pytest.mark.parametrize(
    ("vendor", "dims"), [("openai", 1536), ("gemini", 3072), ("voyage", 1024), ("mistral", 1024), ("ollama", 768)]
)
def test_the_default_models_dimensions_are_known_without_asking(vendor: str, dims: int) -> None:
    known = VENDORS[vendor]
    embedder = RemoteEmbedder(known, known.default_model, Address(vendor, known.base_url))
    assert (embedder.identity().dims, embedder.identity().provider) == (dims, vendor)


def test_an_unknown_models_dimensions_are_probed_once(serve: Serve) -> None:
    server = serve(well("ollama"))
    embedder = embedder_at(server, "ollama", model="my-own-model")
    assert {embedder.identity().dims for _ in range(3)} == {4}
    assert len(server.asked) == 1


def test_the_key_is_in_no_words_about_the_address() -> None:
    assert KEY not in repr(Address("openai", "http://x", KEY))


def test_no_query_is_remembered_for_all_who_share_the_client(serve: Serve) -> None:
    server = serve(well("openai"))
    embedder = embedder_at(server, "openai")
    for _ in range(2):
        embedder.embed_query("key", timeout=5)
    assert len(server.asked) == 2
