"""The cache keeps what is used and never more than its capacity."""

import pytest

from search.runtime.cache import LruCache


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_a_value_is_replaced_and_not_kept_twice() -> None:
    cache: LruCache[str, int] = LruCache(2)
    for value in range(5):
        cache.put("a", value)
    assert cache.get("a") == 4
    assert len(cache) == 1


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="capacity"):
        LruCache[str, int](0)
