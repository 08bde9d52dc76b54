"""Many threads share one model: right vectors, and no query waits for bulk."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from search.runtime.llama import LlamaEmbedder

pytestmark = pytest.mark.model

CHUNK = "The family met on Sunday to talk about the trip to Lisbon, the garden and the heating. " * 18


def test_four_hundred_mixed_calls_from_eight_threads_are_all_right(embedder: LlamaEmbedder) -> None:
    texts = [f"note {number}: the colour of door {number * 7}" for number in range(50)]
    expected = embedder.embed_documents(texts, timeout=60)
    queries = [embedder.embed_query(text, timeout=60) for text in texts]

    def call(number: int) -> float:
        row = number % len(texts)
        if number % 2:
            return float(embedder.embed_documents([texts[row]], timeout=60)[0] @ expected[row])
        spaced = texts[row] + " " * number  # the same tokens, and not yet remembered
        return float(embedder.embed_query(spaced, timeout=60) @ queries[row])

    with ThreadPoolExecutor(8) as pool:
        assert min(pool.map(call, range(400))) > 0.999


def test_a_query_does_not_wait_for_a_chunk_that_is_being_embedded(embedder: LlamaEmbedder) -> None:
    stop = threading.Event()
    done: list[float] = []

    def bulk() -> None:
        while not stop.is_set():
            begin = time.monotonic()
            embedder.embed_documents([CHUNK], timeout=60)
            done.append(time.monotonic() - begin)

    thread = threading.Thread(target=bulk)
    thread.start()
    time.sleep(0.1)
    waits = []
    for number in range(20):
        begin = time.monotonic()
        embedder.embed_query(f"question number {number}", timeout=60)
        waits.append(time.monotonic() - begin)
    stop.set()
    thread.join()
    assert np.median(waits) < np.median(done) / 2
