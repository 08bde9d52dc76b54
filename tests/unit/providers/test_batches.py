"""Texts are packed by size, cut where they are too long, and halved when the vendor says so."""

from __future__ import annotations

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.runtime.providers.batches import batches, parts, weight
from tests.unit.providers.conftest import Serve, embedder_at
from tests.unit.providers.vendors import Asked, Said, in_shape, texts_of, vector_of, well


def test_batches_keep_both_limits_and_the_order() -> None:
    found = list(batches(["aaa", "bb", "c", "dddd", "e"], most_weight=5, most_texts=2))
    assert found == [["aaa", "bb"], ["c", "dddd"], ["e"]]


def test_a_text_heavier_than_the_limit_goes_alone() -> None:
    assert list(batches(["a", "bbbbbbbb", "c"], most_weight=4, most_texts=9)) == [["a"], ["bbbbbbbb"], ["c"]]


@pytest.mark.parametrize("text", ["word " * 100, "記憶" * 99, "🙂" * 77, "é" * 101])
@pytest.mark.parametrize("limit", [7, 64, 10_000])
def test_parts_lose_nothing_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = parts(text, limit)
    assert "".join(pieces) == text
    assert max(map(weight, pieces)) <= limit + 3


@pytest.mark.parametrize(("text", "sent"), [("", "-"), (" \n", "-"), ("a\ud800b", "a?b")])
def test_what_no_vendor_takes_is_replaced(text: str, sent: str) -> None:
    assert parts(text, 100) == [sent]


def test_many_texts_go_in_batches_of_about_8000_tokens(serve: Serve) -> None:
    server = serve(well("mistral"))
    vectors = embedder_at(server, "mistral").embed_documents(["x" * 3000] * 7, timeout=5)
    assert [len(texts_of(asked)) for asked in server.asked] == [2, 2, 2, 1]
    assert vectors.shape == (7, 4)


def test_gemini_gets_at_most_100_texts(serve: Serve) -> None:
    server = serve(well("gemini"))
    embedder_at(server, "gemini").embed_documents(["x"] * 201, timeout=5)
    assert [len(texts_of(asked)) for asked in server.asked] == [100, 100, 1]


def test_a_text_beyond_the_models_context_becomes_the_mean_of_its_parts(serve: Serve) -> None:
    server = serve(well("gemini"))
    vector = embedder_at(server, "gemini").embed_documents(["word " * 1000], timeout=5)[0]
    assert sum(len(texts_of(asked)) for asked in server.asked) == 3
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "refusal",
    [
        Said({"error": {"message": "Request too large", "code": 413}}, 413),
        Said({"error": {"message": "This model's maximum context length is 8192 tokens", "type": "x"}}, 400),
        Said({"error": "the input length exceeds the context length"}, 400),
        Said({"object": "error", "message": "Too many tokens in batch.", "code": "3210"}, 400),
        Said({"detail": "The max allowed tokens per submitted batch is 120000; request is too long"}, 400),
        Said({"error": "input (600 tokens) is too large to process. increase the physical batch size"}, 500),
    ],
)
def test_a_batch_that_is_too_large_is_halved_until_it_fits(serve: Serve, refusal: Said) -> None:
    def answer(asked: Asked) -> Said:
        texts = texts_of(asked)
        return refusal if len(texts) > 2 else Said(in_shape("openai", [vector_of(text) for text in texts]))

    server = serve(answer)
    vectors = embedder_at(server, "openai").embed_documents(["a", "bb", "ccc", "dddd", "eeeee"], timeout=5)
    assert np.argsort(vectors[:, 0]).tolist() == [0, 1, 2, 3, 4]
    assert [len(texts_of(asked)) for asked in server.asked] == [5, 2, 3, 1, 2]


def test_a_single_text_that_is_too_large_is_cut_in_halves(serve: Serve) -> None:
    def answer(asked: Asked) -> Said:
        if any(len(text) > 300 for text in texts_of(asked)):
            return Said({"error": "the input length exceeds the context length"}, 400)
        return well("ollama")(asked)

    server = serve(answer)
    vector = embedder_at(server, "ollama").embed_documents(["y" * 1000], timeout=5)[0]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert len(server.asked) == 7


def test_a_vendor_for_whom_everything_is_too_large_is_an_error(serve: Serve) -> None:
    server = serve(lambda asked: Said({"error": "input is too long"}, 400))
    with pytest.raises(EmbedderUnavailable, match="too_large"):
        embedder_at(server, "ollama").embed_documents(["z" * 200], timeout=5)
    assert len(server.asked) < 10
