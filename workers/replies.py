"""Replies: how a model job's answer comes back, as a list of one in the broker's own Valkey, with every wait bounded.

Not Celery's result backend: its Redis consumer reads one connection for all threads of a process, and several searches
wait at once.
"""

from __future__ import annotations

import json
from typing import Any, cast

import redis

from workers.broker_address import broker_client

KEEP_SECONDS = 60
"""An answer that nobody fetches is forgotten after this time."""
ALIVE_SECONDS = 15.0
"""A worker that has not said so for this long counts as gone."""

_STEP_SECONDS = 1.0
_SOCKET_SECONDS = 3.0


class BrokerAway(Exception):
    """The broker does not answer."""


class Replies:
    """Safe from any number of threads: every wait takes a connection of its own from the pool."""

    def __init__(self, broker_url: str) -> None:
        """`broker_url` as Celery has it."""
        self._redis = broker_client(broker_url, timeout=_SOCKET_SECONDS, connect=1.0)

    def put(self, key: str, answer: dict[str, Any]) -> None:
        try:
            with self._redis.pipeline() as together:
                together.lpush(key, json.dumps(answer))
                together.expire(key, KEEP_SECONDS)
                together.execute()
        except redis.RedisError as error:
            raise BrokerAway(str(error)) from error

    def take(self, key: str, timeout: float) -> dict[str, Any] | None:
        """The answer, or None when it has not come within `timeout` seconds."""
        left = timeout
        try:
            while left > 0:
                # In steps, so that a broker that stopped answering is noticed by the socket's own time limit.
                step = min(left, _STEP_SECONDS)
                found = cast("tuple[bytes, bytes] | None", self._redis.blpop([key], timeout=step))
                if found is not None:
                    return dict(json.loads(found[1]))
                left -= step
        except redis.RedisError as error:
            raise BrokerAway(str(error)) from error
        return None

    def waiting(self, queue: str) -> int:
        """Messages that no worker has taken up yet."""
        try:
            return int(self._redis.llen(queue))
        except redis.RedisError as error:
            raise BrokerAway(str(error)) from error

    def say_alive(self, worker: str, offers: dict[str, str]) -> None:
        """`offers`: queue → what is served there, such as the fingerprint of the vectors."""
        try:
            now = self._now()
            with self._redis.pipeline() as together:
                for queue in offers:
                    together.zadd(_workers(queue), {json.dumps([worker, offers[queue]]): now})
                    together.zremrangebyscore(_workers(queue), 0, now - ALIVE_SECONDS)
                together.execute()
        except redis.RedisError as error:
            raise BrokerAway(str(error)) from error

    def alive(self, queue: str) -> tuple[str, ...]:
        """What the workers that listen to `queue` offer there, one entry each."""
        try:
            members = cast(
                "list[bytes]", self._redis.zrangebyscore(_workers(queue), self._now() - ALIVE_SECONDS, "+inf")
            )
        except redis.RedisError as error:
            raise BrokerAway(str(error)) from error
        return tuple(str(json.loads(member)[1]) for member in members)

    def _now(self) -> float:
        # The broker's clock: those of two machines may differ by more than a worker's life sign lasts.
        seconds, micros = self._redis.time()
        return seconds + micros / 1e6


def _workers(queue: str) -> str:
    return f"memory:workers:{queue}"
