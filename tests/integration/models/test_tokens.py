"""Vectors of single tokens out of the same pass: what they are, the same through socket and broker."""

from __future__ import annotations

import numpy as np
import pytest

from search.rank.late import cosines
from search.runtime.llama import LlamaEmbedder
from search.runtime.tokens import token_vectors
from tests.integration.models.conftest import ModelsProcess
from workers.queued_models import pack_tokens, unpack_tokens

pytestmark = pytest.mark.model

NOTES = ["The spare key hangs behind the blue door.", "!?", "word " * 1_200]


def test_they_are_of_the_text_alone_and_tell_words_apart(embedder: LlamaEmbedder) -> None:
    _, tokens = embedder.embed_query_with_tokens("Where is the spare key?", timeout=30)
    assert tokens is not None
    assert [piece.strip("▁") for piece in tokens.pieces] == ["Where", "is", "the", "spare", "key", "?"]
    constants = token_vectors(embedder.identity().model)
    assert constants is not None and tokens.vectors.shape == (6, constants.width)
    _, bits = embedder.embed_documents_with_tokens(NOTES, timeout=60)
    assert bits is not None
    assert len(bits[1]) == 0, "marks alone say nothing"
    assert len(bits[2]) == 1_200, "a text beyond the context has all of its tokens"
    near = cosines(tokens.vectors, bits[0].view(np.uint64))
    key = list(tokens.pieces).index("▁key")
    assert int(near[key].argmax()) in (1, 2), "`key` is nearest to `spare key`"


def test_through_the_socket_they_are_the_same(process: ModelsProcess, embedder: LlamaEmbedder) -> None:
    far, near = (one.embed_query_with_tokens("备用钥匙在哪里", timeout=60) for one in (process.client, embedder))
    assert far[1] is not None and near[1] is not None and far[1].pieces == near[1].pieces
    assert np.allclose(far[1].vectors, near[1].vectors, atol=1e-5) and np.allclose(far[0], near[0], atol=1e-5)
    sent, made = (one.embed_documents_with_tokens(NOTES, timeout=60)[1] for one in (process.client, embedder))
    assert sent is not None and made is not None
    assert [rows.tolist() for rows in sent] == [rows.tolist() for rows in made]
    again = unpack_tokens(pack_tokens(made), len(NOTES))
    assert again is not None and [rows.tolist() for rows in again] == [rows.tolist() for rows in made]
