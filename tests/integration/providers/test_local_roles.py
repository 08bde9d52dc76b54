"""Local models that embed, rerank and write, loaded by the models process when somebody asks."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest

from search.errors import EmbedderUnavailable, GeneratorUnavailable, RerankerUnavailable
from search.runtime.protocols import Message
from tests.integration.providers.conftest import Served
from tests.integration.providers.tiny import write_embedder, write_generator, write_reranker
from workers import model_shelf
from workers.local_clients import LocalGenerator, LocalReranker

pytestmark = pytest.mark.model

QUESTION = "where is the spare key"
NOTES = ["the spare key is under the pot", "tomatoes want sun", "the sun"]
TALK = [Message("system", "the key"), Message("user", QUESTION)]


def reranker(served: Served, model: str = "") -> LocalReranker:
    return LocalReranker(served.client(), model)


def generator(served: Served, model: str = "") -> LocalGenerator:
    return LocalGenerator(served.client(), model)


def test_a_file_of_ones_own_embeds_with_an_identity_of_its_own(served: Served) -> None:
    first, second = (served.client(str(write_embedder(served.folder / f"{seed}.gguf", seed=seed))) for seed in (1, 2))
    assert first.embed_documents(NOTES, timeout=10).shape == (3, 32)
    assert first.identity().dims == second.identity().dims == 32
    assert first.identity().fingerprint != second.identity().fingerprint


def test_a_text_longer_than_the_context_is_split(served: Served) -> None:
    client = served.client(str(write_embedder(served.folder / "e.gguf")))
    vector = client.embed_documents(["the spare key " * 500], timeout=10)[0]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_documents_are_scored_each_by_itself(served: Served) -> None:
    ranks = reranker(served, str(write_reranker(served.folder / "r.gguf")))
    scores = ranks.rerank(QUESTION, NOTES, timeout=10)
    assert len(set(scores)) == 3 and all(0 < score < 1 for score in scores)
    assert ranks.rerank(QUESTION, NOTES[::-1], timeout=10) == pytest.approx(scores[::-1])


def test_documents_beyond_the_context_and_beyond_one_request_are_scored_too(served: Served) -> None:
    ranks = reranker(served, str(write_reranker(served.folder / "r.gguf")))
    scores = ranks.rerank(QUESTION * 50, ["the pot " * 900, "", "\ud800", *NOTES * 30], timeout=20)
    assert len(scores) == 93 and all(np.isfinite(scores))


def test_a_model_writes_within_its_tokens(served: Served) -> None:
    writes = generator(served, str(write_generator(served.folder / "g.gguf")))
    assert len(writes.generate(TALK, max_tokens=12, timeout=10).encode()) < 150
    assert writes.generate(TALK, max_tokens=12, timeout=10) == writes.generate(TALK, max_tokens=12, timeout=10)


def test_a_schema_holds_even_a_model_that_knows_nothing(served: Served) -> None:
    writes = generator(served, str(write_generator(served.folder / "g.gguf")))
    schema = {"type": "object", "properties": {"known": {"type": "boolean"}}, "required": ["known"]}
    answer = writes.generate(TALK, max_tokens=100, timeout=20, json_schema=schema)
    assert isinstance(json.loads(answer)["known"], bool)


def test_messages_beyond_the_context_lose_their_middle(served: Served) -> None:
    writes = generator(served, str(write_generator(served.folder / "g.gguf", context=256)))
    long = [Message("user", "the spare key " * 3000), Message("user", "</s><s>[INST]\ud800")]
    assert isinstance(writes.generate(long, max_tokens=10, timeout=20), str)


def test_writing_ends_at_the_deadline_and_the_model_goes_on_working(served: Served) -> None:
    writes = generator(served, str(write_generator(served.folder / "g.gguf", context=4096)))
    writes.generate(TALK, max_tokens=2, timeout=20)
    begin = time.monotonic()
    with pytest.raises(GeneratorUnavailable, match="timed out"):
        writes.generate([Message("user", "the " * 2000)], max_tokens=2000, timeout=0.1)
    assert time.monotonic() - begin < 1
    assert isinstance(writes.generate(TALK, max_tokens=2, timeout=20), str)


def test_many_callers_share_one_model(served: Served) -> None:
    path = str(write_reranker(served.folder / "r.gguf"))
    found: list[tuple[float, ...]] = []
    callers = [
        threading.Thread(target=lambda: found.append(reranker(served, path).rerank(QUESTION, NOTES, timeout=20)))
        for _ in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 8 and all(scores == pytest.approx(found[0]) for scores in found)
    assert len(served.client().status().models) == 1


def test_the_status_shows_models_and_an_idle_one_is_put_away_and_comes_back(served: Served) -> None:
    path = str(write_generator(served.folder / "g.gguf"))
    generator(served, path).generate(TALK, max_tokens=2, timeout=10)
    shown = served.client().status().models[0]
    assert (shown["model"], shown["role"], shown["state"]) == (path, "generate", "ready")
    assert shown["memory_bytes"] >= 0
    time.sleep(0.3)
    served.shelf.put_away_idle()
    assert served.client().status().models == []
    assert isinstance(generator(served, path).generate(TALK, max_tokens=2, timeout=10), str)


def test_a_role_without_a_model_says_how_to_get_one(served: Served) -> None:
    with pytest.raises(RerankerUnavailable, match="no local model to rerank is installed") as error:
        reranker(served).rerank(QUESTION, NOTES, timeout=5)
    assert "bge-reranker-v2-m3-q8" in error.value.hint
    with pytest.raises(GeneratorUnavailable, match="is not there") as missing:
        generator(served, "qwen3-0.6b-q8").generate(TALK, max_tokens=2, timeout=5)
    assert f"copy it to {served.folder}/Qwen3-0.6B-Q8_0.gguf" in missing.value.hint


def test_a_model_that_cannot_do_the_role_is_refused_and_the_server_lives(served: Served) -> None:
    embeds = str(write_embedder(served.folder / "e.gguf"))
    with pytest.raises(RerankerUnavailable, match="no reranking model"):
        reranker(served, embeds).rerank(QUESTION, NOTES, timeout=5)
    assert served.client(embeds).embed_query(QUESTION, timeout=5).shape == (32,)


@pytest.mark.parametrize("keep", [0, 3, 100, 20_000])
def test_a_damaged_file_is_refused_and_the_server_lives(served: Served, keep: int) -> None:
    whole = write_embedder(served.folder / "whole.gguf").read_bytes()
    broken = served.folder / "broken.gguf"
    broken.write_bytes(whole[:keep])
    with pytest.raises(EmbedderUnavailable):
        served.client(str(broken)).embed_query(QUESTION, timeout=5)
    assert served.client().status().models[0]["state"] == "failed"


def test_a_file_that_was_exchanged_has_another_identity(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_embedder(served.folder / "e.gguf", seed=1)
    before = served.client(str(path)).identity()
    monkeypatch.setattr(model_shelf, "EMBEDDER_IDLE_FACTOR", 1)
    time.sleep(0.3)
    served.shelf.put_away_idle()
    write_embedder(path, seed=2)
    assert served.client(str(path)).identity().fingerprint != before.fingerprint


def test_an_embedder_stays_when_others_are_put_away(served: Served) -> None:
    embeds, ranks = str(write_embedder(served.folder / "e.gguf")), str(write_reranker(served.folder / "r.gguf"))
    served.client(embeds).embed_query(QUESTION, timeout=5)
    reranker(served, ranks).rerank(QUESTION, NOTES, timeout=5)
    time.sleep(0.3)
    served.shelf.put_away_idle()
    assert [entry["role"] for entry in served.client().status().models] == ["embed"]
