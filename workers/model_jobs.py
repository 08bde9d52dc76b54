"""ModelJobs: ask a model worker, wherever it runs, through the broker; never longer than the deadline."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

from search.sentences import sentence
from workers.queues import BULK, GENERATE, RERANK
from workers.replies import BrokerAway, Replies

TASKS = {RERANK: "models.rerank", GENERATE: "models.generate", BULK: "models.embed"}
LONGEST_QUEUE = {RERANK: 4, GENERATE: 4, BULK: 16}
"""Jobs that may wait before the next one is refused: what comes behind them would be too late anyway."""

REMEMBER_SECONDS = 2.0
"""For so long it is not asked again who serves a queue, so that a broker that is stuck costs a search nothing."""


class JobRefused(Exception):
    """No answer: the queue is full, nobody serves it, the time is up, or the worker said no. The message says which."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ModelJobs:
    """`app` only sends; it needs none of the tasks."""

    def __init__(self, app: Celery, replies: Callable[[], Replies]) -> None:
        self._app = app
        self._replies = replies
        self._seen: dict[str, tuple[float, tuple[str, ...]]] = {}

    def offers(self, queue: str) -> tuple[str, ...]:
        """What the workers of `queue` offer, as of the last seconds; empty also when the broker is away."""
        until, known = self._seen.get(queue, (0.0, ()))
        if time.monotonic() >= until:
            try:
                known = self._replies().alive(queue)
            except BrokerAway:
                known = ()
            self._seen[queue] = (time.monotonic() + REMEMBER_SECONDS, known)
        return known

    def run(self, queue: str, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        """The worker's answer. Raises `JobRefused`, at once where waiting has no prospect, else after `timeout`.

        The deadline travels with the message: a worker that finds it after that drops it.
        """
        replies = self._replies()
        key = f"memory:reply:{uuid.uuid4().hex}"
        try:
            if not replies.alive(queue):
                raise JobRefused(
                    sentence("no worker serves the queue `{queue}`", queue=queue),
                    hint=sentence("Start one, see docs/operations.md."),
                )
            waiting = replies.waiting(queue)
            if waiting >= LONGEST_QUEUE[queue]:
                raise JobRefused(
                    sentence("{waiting} jobs wait in the queue `{queue}` already", waiting=waiting, queue=queue),
                    hint=sentence("Ask again, or add a worker."),
                )
            self._app.send_task(
                TASKS[queue],
                args=[key, dict(body)],
                queue=queue,
                expires=max(0.001, timeout),
                retry=False,
                ignore_result=True,
            )
            answer = replies.take(key, timeout)
        except (BrokerAway, OperationalError) as error:
            raise JobRefused(
                sentence("the broker does not answer"), hint=sentence("It is started again by itself.")
            ) from error
        if answer is None:
            raise JobRefused(sentence("no answer came within {ceil} ms", ceil=math.ceil(timeout * 1000)))
        if "error" in answer:
            raise JobRefused(str(answer["error"]), hint=str(answer.get("hint", "")))
        return answer
