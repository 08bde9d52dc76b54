"""RemoteEmbedder: any vendor's service as an Embedder."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from search.documents.chunker import CHUNKER_VERSION
from search.errors import EmbedderUnavailable
from search.runtime.fingerprint import remote_identity
from search.runtime.protocols import Vectors
from search.runtime.providers.address import Address
from search.runtime.providers.batches import batches, parts, weight
from search.runtime.providers.failures import ProviderFailed
from search.runtime.providers.http import Endpoint
from search.runtime.providers.rest import Rest
from search.runtime.providers.vendor import MAX_BATCH_TOKENS, EmbeddingVendor, Purpose
from search.sentences import sentence
from search.spec import EmbeddingIdentity

PROBE = "memory"
PROBE_SECONDS = 5.0
_SHORTEST_HALF = 32
"""A text that is refused as too large is not halved below these characters."""


class RemoteEmbedder:
    """Safe from any number of threads.

    After a failure queries are refused at once, with the same reason, for as long as asking again is useless: a
    search does not pay for a broken provider. A document without a usable vector gives a row of zeros, which the
    index refuses; a batch without any is an error.
    """

    def __init__(self, vendor: EmbeddingVendor, model: str, address: Address, *, dims: int | None = None) -> None:
        """`dims` asks for fewer dimensions than the model makes, and is part of the identity."""
        self._vendor = vendor
        self._model = model
        self._address = address
        self._asked_dims = dims
        self._facts = vendor.facts(model)
        self._dims = dims or self._facts.dims
        self._endpoint = Endpoint(address, headers=vendor.headers(address.key))
        self._rest = Rest()
        self._probing = threading.Lock()

    def identity(self) -> EmbeddingIdentity:
        """Free for models whose dimensions are known; else one probe is embedded, once."""
        if not self._dims:
            with self._probing:
                if not self._dims:
                    self.embed_query(PROBE, timeout=PROBE_SECONDS)
        return remote_identity(
            provider=self._vendor.name,
            model=self._model,
            dims=self._dims,
            query_prompt=self._facts.query_prompt,
            document_prompt=self._facts.document_prompt,
            server="" if self._address.base_url == self._vendor.base_url or not self._vendor.needs_key
            else self._address.base_url,
            chunker_version=CHUNKER_VERSION,
        )  # fmt: skip

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        try:
            self._rest.check()
            vector: Vectors = self._embed([text], "query", time.monotonic() + timeout)[0]
            if not vector.any():
                raise self._endpoint.bad_answer(sentence("the vector is zero or not finite"))
        except ProviderFailed as failure:
            raise self._unavailable(failure) from failure
        return vector

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        if not texts:
            return np.empty((0, self.identity().dims), dtype=np.float32)
        try:
            return self._embed(texts, "document", time.monotonic() + timeout)
        except ProviderFailed as failure:
            raise self._unavailable(failure) from failure

    def _unavailable(self, failure: ProviderFailed) -> EmbedderUnavailable:
        self._rest.after(failure)
        return EmbedderUnavailable(
            failure.message, hint=failure.hint, kind=failure.kind, wait_seconds=failure.wait_seconds
        )

    def _embed(self, texts: Sequence[str], purpose: Purpose, end: float) -> Vectors:
        """Rows of length 1 (or 0); a text of several parts gets their mean, weighted by size."""
        prompt = self._facts.prompt(purpose)
        limit = min(self._facts.max_tokens, MAX_BATCH_TOKENS) - weight(prompt)
        pieces = [parts(text, limit) for text in texts]
        flat = [prompt.replace("{text}", piece) for text in pieces for piece in text]
        found: list[Vectors] = []
        for batch in batches(flat, most_weight=MAX_BATCH_TOKENS, most_texts=self._vendor.max_texts):
            found += self._batch(batch, purpose, end)
        self._rest.over()
        rows = iter(found)
        return np.stack([_mean([(weight(piece), next(rows)) for piece in text]) for text in pieces])

    def _batch(self, texts: list[str], purpose: Purpose, end: float) -> list[Vectors]:
        """One vector per text. What is too large for the vendor goes in halves, down to halves of a text."""
        path, body = self._vendor.request(self._model, texts, purpose, self._asked_dims)
        try:
            answer = self._endpoint.post(path, body, end=end, patient=purpose == "document")
        except ProviderFailed as failure:
            if failure.kind != "too_large":
                raise
            middle = len(texts) // 2
            if middle:
                return self._batch(texts[:middle], purpose, end) + self._batch(texts[middle:], purpose, end)
            text = texts[0]
            if len(text) < 2 * _SHORTEST_HALF:
                raise
            halves = [text[: len(text) // 2], text[len(text) // 2 :]]
            return [_mean([(weight(half), self._batch([half], purpose, end)[0]) for half in halves])]
        return list(self._rows(answer, len(texts)))

    def _rows(self, answer: object, count: int) -> Vectors:
        try:
            vectors = np.array(self._vendor.vectors(answer), dtype=np.float64)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise self._endpoint.bad_answer(sentence("the answer holds no vectors")) from error
        if vectors.ndim != 2 or vectors.shape[0] != count or not vectors.shape[1]:
            raise self._endpoint.bad_answer(
                sentence(
                    "{count} texts were sent, vectors of shape {shape} came back", count=count, shape=vectors.shape
                )
            )
        if self._dims and vectors.shape[1] != self._dims:
            raise self._endpoint.bad_answer(
                sentence(
                    "the vectors have {shape} dimensions, expected {dims}", shape=vectors.shape[1], dims=self._dims
                )
            )
        self._dims = vectors.shape[1]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        good = np.isfinite(lengths) & (lengths > 1e-10)
        if not good.any():
            raise self._endpoint.bad_answer(sentence("every vector is zero or not finite"))
        return np.where(good, vectors / np.where(good, lengths, 1.0), 0.0).astype(np.float32)


def _mean(weighted: Sequence[tuple[int, Vectors]]) -> Vectors:
    total = np.sum([share * vector.astype(np.float64) for share, vector in weighted], axis=0)
    length = float(np.linalg.norm(total))
    mean: Vectors = (total / length if length else total).astype(np.float32)
    return mean
