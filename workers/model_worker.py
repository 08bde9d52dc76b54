"""ModelWorker: asks the model of its own machine and sends the answer back, as long as somebody waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import BoundedSemaphore
from typing import Any, TypeVar

from search.errors import ModelUnavailable
from search.runtime.fingerprint import PROVIDER
from search.runtime.protocols import Embedder, Generator, Message, Reranker
from search.runtime.tokens import embed_documents_with_tokens
from search.sentences import sentence
from workers.queued_models import pack, pack_tokens
from workers.queues import BULK, GENERATE, RERANK
from workers.replies import BrokerAway, Replies

logger = logging.getLogger(__name__)

Answer = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Models:
    """The models of this machine, each reached through a protocol; None for a role that it does not have."""

    embedder: Embedder | None = None
    reranker: Callable[[str], Reranker] | None = None
    generator: Callable[[str], Generator] | None = None
    """By the model's name; "" is the one that is installed."""


class ModelWorker:
    """One at a time for each kind of job, because a model computes one thing at a time anyway."""

    def __init__(self, models: Models, replies: Replies) -> None:
        self._models = models
        self._replies = replies
        self._slots = {queue: BoundedSemaphore(1) for queue in (RERANK, GENERATE, BULK)}

    def offers(self) -> dict[str, str]:
        """Queue → what is served there now; a model that is still loading is not offered."""
        found = {}
        if self._models.embedder is not None:
            try:
                found[BULK] = self._models.embedder.identity().fingerprint
            except ModelUnavailable as error:
                logger.info("no embedding is offered yet: %s", error)
        if self._models.reranker is not None:
            found[RERANK] = PROVIDER
        if self._models.generator is not None:
            found[GENERATE] = PROVIDER
        return found

    def embed(self, reply: str, body: Answer, deadline: datetime | None) -> None:
        def work(left: float) -> Answer:
            embedder = _there(self._models.embedder)
            if embedder.identity().fingerprint != body["fingerprint"]:
                raise ModelUnavailable(sentence("this worker's vectors are of another model"))
            vectors, bits = embed_documents_with_tokens(embedder, body["texts"], timeout=left)
            return {"vectors": pack(vectors), **({"tokens": pack_tokens(bits)} if bits else {})}

        self._answer(BULK, reply, deadline, work)

    def rerank(self, reply: str, body: Answer, deadline: datetime | None) -> None:
        def work(left: float) -> Answer:
            reranker = _there(self._models.reranker)(body["model"])
            return {"scores": list(reranker.rerank(body["query"], body["documents"], timeout=left))}

        self._answer(RERANK, reply, deadline, work)

    def generate(self, reply: str, body: Answer, deadline: datetime | None) -> None:
        def work(left: float) -> Answer:
            text = _there(self._models.generator)(body["model"]).generate(
                _messages(body["messages"]),
                max_tokens=body["max_tokens"],
                timeout=left,
                json_schema=body["json_schema"],
                thinking=body.get("thinking", "off"),
            )
            return {"text": text}

        self._answer(GENERATE, reply, deadline, work)

    def _answer(self, queue: str, reply: str, deadline: datetime | None, work: Callable[[float], Answer]) -> None:
        """Nothing is done, and nothing sent, for a job whose sender no longer waits."""
        if not self._slots[queue].acquire(timeout=max(0.0, _left(deadline))):
            logger.info("a job of the queue %s came too late and was dropped", queue)
            return
        try:
            if (left := _left(deadline)) <= 0:
                logger.info("a job of the queue %s came too late and was dropped", queue)
                return
            try:
                answer = work(left)
            except ModelUnavailable as error:
                answer = {"error": error.message, "hint": error.hint}
            self._replies.put(reply, answer)
        except BrokerAway as error:
            logger.warning("an answer could not be sent: %s", error)
        finally:
            self._slots[queue].release()


_WITHOUT_DEADLINE = 60.0


def _left(deadline: datetime | None) -> float:
    return _WITHOUT_DEADLINE if deadline is None else (deadline - datetime.now(UTC)).total_seconds()


def _there(model: T | None) -> T:
    if model is None:
        raise ModelUnavailable(sentence("this worker has no model for that"))
    return model


def _messages(values: Sequence[dict[str, Any]]) -> list[Message]:
    return [Message(value["role"], value["text"]) for value in values]
