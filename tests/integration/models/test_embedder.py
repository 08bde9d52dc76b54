"""The bundled embedder understands several languages and takes every text."""

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.runtime.llama import LlamaEmbedder

pytestmark = pytest.mark.model

NOTES = [
    "备用钥匙放在阳台的蓝色花盆下面。",
    "The cat gets dry food in the morning and wet food at night.",
    "Der Heizungsbauer kommt am Dienstag um neun Uhr.",
    "プリンターは二階の廊下にあります。",
    "We fly to Lisbon on the third of May.",
]
PARAGRAPH = "The gardener waters the tomatoes every second evening and writes down what the plants need. "


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the spare key?", 0),
        ("猫什么时候吃湿粮？", 1),
        ("When is the heating engineer coming?", 2),
        ("打印机在哪里？", 3),
        ("¿Cuándo volamos a Portugal?", 4),
    ],
)
def test_the_answer_wins_with_a_margin_in_whatever_language(
    embedder: LlamaEmbedder, question: str, answer: int
) -> None:
    cosines = embedder.embed_documents(NOTES, timeout=30) @ embedder.embed_query(question, timeout=30)
    others = np.delete(cosines, answer)
    assert cosines[answer] > others.max() + 0.01


def test_vectors_have_length_one_and_the_declared_shape(embedder: LlamaEmbedder) -> None:
    vectors = embedder.embed_documents(NOTES, timeout=30)
    assert vectors.shape == (len(NOTES), embedder.identity().dims)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: LlamaEmbedder) -> None:
    together = embedder.embed_documents(NOTES, timeout=30)
    alone = np.stack([embedder.embed_documents([note], timeout=30)[0] for note in NOTES])
    assert np.sum(together * alone, axis=1).min() > 0.999


def test_a_query_and_a_document_of_the_same_words_differ(embedder: LlamaEmbedder) -> None:
    document = embedder.embed_documents(["spare key"], timeout=30)[0]
    assert float(document @ embedder.embed_query("spare key", timeout=30)) < 0.999


def test_a_text_beyond_the_context_keeps_the_meaning_of_all_its_parts(embedder: LlamaEmbedder) -> None:
    text = PARAGRAPH * 60 + "The spare key is under the blue pot. " * 60
    long, key, garden, ship = embedder.embed_documents(
        [text, "The spare key is under the blue pot.", PARAGRAPH, "The ship left the harbour."], timeout=60
    )
    assert min(float(long @ key), float(long @ garden)) > float(long @ ship) + 0.02


def test_a_text_just_beyond_the_context_is_close_to_one_that_just_fits(embedder: LlamaEmbedder) -> None:
    fits, splits = embedder.embed_documents([PARAGRAPH * 29, PARAGRAPH * 31], timeout=60)
    assert float(fits @ splits) > 0.97


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n",
        "\0",
        "\ud800",
        "<s></s><mask>",
        "\u200b",
        "👨‍👩‍👧",
        "\u0301" * 50,
        "a" * 3000,
        "\x1b[31m",
        "%s{}{text}",
    ],
    ids=lambda text: repr(text)[:16],
)
def test_any_text_has_a_vector(embedder: LlamaEmbedder, text: str) -> None:
    vector = embedder.embed_query(text, timeout=60)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_special_tokens_in_a_text_are_plain_words(embedder: LlamaEmbedder) -> None:
    plain, marked = embedder.embed_documents(["key", "</s>key<s>"], timeout=30)
    assert float(plain @ marked) < 0.999


def test_no_texts_give_no_vectors(embedder: LlamaEmbedder) -> None:
    assert embedder.embed_documents([], timeout=1).shape == (0, 384)


@pytest.mark.parametrize("timeout", [0.0, -1.0])
def test_a_timeout_that_has_passed_is_an_error(embedder: LlamaEmbedder, timeout: float) -> None:
    with pytest.raises(EmbedderUnavailable, match="timed out"):
        embedder.embed_documents(["text"], timeout=timeout)


def test_a_long_text_is_given_up_between_its_windows(embedder: LlamaEmbedder) -> None:
    before = embedder.tokens
    with pytest.raises(EmbedderUnavailable, match="timed out after 300 ms"):
        embedder.embed_documents([PARAGRAPH * 2000], timeout=0.3)
    assert embedder.tokens - before < 20_000


def test_a_repeated_query_tells_no_other_agent_that_it_was_asked(embedder: LlamaEmbedder) -> None:
    """Queries are remembered for each agent alone (OwnQueries), not where all agents' queries come together."""
    before = embedder.tokens
    first = embedder.embed_query("the same question", timeout=30)
    cost = embedder.tokens - before
    assert (embedder.embed_query("the same question", timeout=30) == first).all()
    assert cost > 0 and embedder.tokens - before == 2 * cost
