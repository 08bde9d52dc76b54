"""How often a key, an address or a name may ask: counted in the broker, so that all web processes count together."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from functools import cache
from typing import Literal

from django.conf import settings
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from workers.broker_address import broker_client

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 0.25
AWAY_SECONDS = 5.0
"""After a failure the broker is not asked for this long; every process then counts for itself."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`option` names the setting with the number per minute; 0 there means no limit. `times` widens it."""

    what: str
    option: str
    times: int = 1


KEY_REQUESTS = Rule("requests with this key", "MEMORY_REQUESTS_PER_MINUTE_KEY")
ADDRESS_REQUESTS = Rule("requests from this address", "MEMORY_REQUESTS_PER_MINUTE_ADDRESS")
KEY_FAILURES = Rule("wrong keys from this address", "MEMORY_FAILED_KEYS_PER_MINUTE")
LOGIN_FAILURES = Rule("failed logins from this address", "MEMORY_FAILED_LOGINS_PER_MINUTE")
NAME_FAILURES = Rule("failed logins with this name", "MEMORY_FAILED_LOGINS_PER_MINUTE", times=5)
"""Wider than an address's: whoever guesses from many addresses must not keep the owner out too easily."""


class TooMany(Exception):
    """The limit is used up; `retry_after` seconds from now there is room again."""

    def __init__(self, rule: Rule, retry_after: int) -> None:
        super().__init__(f"Too many {rule.what}.")
        self.rule = rule
        self.retry_after = retry_after


def take(rule: Rule, who: str) -> None:
    """Count one. Raises `TooMany` when it is beyond the limit."""
    item = _item(rule)
    if item is not None and not _ask("hit", item, rule, who):
        raise TooMany(rule, _wait(item, rule, who))


def refuse_when_used_up(rule: Rule, who: str) -> None:
    """Raises `TooMany` when the limit is reached, and counts nothing."""
    item = _item(rule)
    if item is not None and not _ask("test", item, rule, who):
        raise TooMany(rule, _wait(item, rule, who))


def _item(rule: Rule) -> RateLimitItemPerMinute | None:
    amount = int(getattr(settings, rule.option)) * rule.times
    return RateLimitItemPerMinute(amount) if amount else None


def _wait(item: RateLimitItemPerMinute, rule: Rule, who: str) -> int:
    reset = _counters().limiter().get_window_stats(item, rule.option, rule.what, who).reset_time
    return max(1, math.ceil(reset - time.time()))


def _ask(verb: Literal["hit", "test"], item: RateLimitItemPerMinute, rule: Rule, who: str) -> bool:
    counters = _counters()
    try:
        return bool(getattr(counters.limiter(), verb)(item, rule.option, rule.what, who))
    except StorageError as error:
        counters.broker_is_away(error)
        return bool(getattr(counters.limiter(), verb)(item, rule.option, rule.what, who))


class _Counters:
    def __init__(self, url: str) -> None:
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._shared = _shared_limiter(url)
        self._away_until = 0.0

    def limiter(self) -> SlidingWindowCounterRateLimiter:
        here = self._shared is None or time.monotonic() < self._away_until
        return self._own if here or self._shared is None else self._shared

    def broker_is_away(self, error: StorageError) -> None:
        self._away_until = time.monotonic() + AWAY_SECONDS
        logger.warning("requests are counted per process: the broker does not answer", extra={"reason": str(error)})


@cache
def _counters() -> _Counters:
    return _Counters(str(settings.CELERY_BROKER_URL))


def _shared_limiter(url: str) -> SlidingWindowCounterRateLimiter | None:
    """None for a broker that cannot count."""
    try:
        pool = broker_client(url, timeout=PATIENCE_SECONDS, connect=PATIENCE_SECONDS).connection_pool
    except ValueError:
        return None
    return SlidingWindowCounterRateLimiter(RedisStorage("redis://", connection_pool=pool, wrap_exceptions=True))
