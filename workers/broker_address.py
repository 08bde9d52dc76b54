"""Where the broker is, as Celery and redis-py want its address, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import SplitResult, quote, unquote, urlsplit

import redis
from redis.sentinel import Sentinel

EXAMPLES = "redis://host:6379/0, rediss://host:6379/0 (TLS) or sentinel://host1:26379,host2:26379/name"
_SCHEMES = ("redis", "rediss", "redis+socket", "sentinel")
_SENTINEL_PORT = 26379


def celery_address(url: str) -> str:
    """MEMORY_BROKER_URL as Celery has it. Raises `ValueError`, whose text never holds the password.

    `sentinel://:password@host1,host2/name` becomes one address for each host, the name as the first one's fragment.
    """
    scheme = url.partition("://")[0]
    if scheme not in _SCHEMES:
        raise ValueError(f"only Valkey or Redis can be the broker: {EXAMPLES}")
    if scheme != "sentinel":
        try:
            known = urlsplit(url).port is not None or scheme == "redis+socket" or urlsplit(url).hostname
        except ValueError:
            known = None
        if not known:
            raise ValueError(
                f"is no address such as {EXAMPLES}; a sign such as @ or / in the password is written %40, %2F"
            )
        return url
    place, _, name = url.removeprefix("sentinel://").partition("/")
    secret, _, hosts = place.rpartition("@")
    name = name.partition("?")[0].strip("/")
    if not name or not all(hosts.split(",")):
        raise ValueError("names no Sentinel and group: sentinel://host1:26379,host2:26379/name")
    start = f"sentinel://{secret}@" if secret else "sentinel://"
    first, *others = (f"{start}{host if ':' in host else f'{host}:{_SENTINEL_PORT}'}/0" for host in hosts.split(","))
    return ";".join([f"{first}#{quote(name)}", *others])


def transport_options(celery_url: str) -> dict[str, Any]:
    """What Celery wants to be told beside the address."""
    name = _master_name(celery_url)
    return {"master_name": name} if name else {}


def broker_client(celery_url: str, *, timeout: float, connect: float) -> redis.Redis:
    """`timeout` and `connect` in seconds. Nothing is asked yet."""
    limits: dict[str, Any] = {"socket_timeout": timeout, "socket_connect_timeout": connect}
    if name := _master_name(celery_url):
        parts = [urlsplit(part) for part in celery_url.split(";")]
        hosts = [(part.hostname or "", part.port or _SENTINEL_PORT) for part in parts]
        known = {what: unquote(given) or None for what, given in _credentials(parts[0])}
        watchers: Any = Sentinel(hosts, sentinel_kwargs=limits, **limits)  # type: ignore[no-untyped-call]
        return cast(redis.Redis, watchers.master_for(name, **known))
    return redis.Redis.from_url(celery_url.replace("redis+socket://", "unix://", 1), **limits)


def _credentials(part: SplitResult) -> Iterator[tuple[str, str]]:
    yield "username", part.username or ""
    yield "password", part.password or ""


def _master_name(celery_url: str) -> str:
    if not celery_url.startswith("sentinel://"):
        return ""
    return unquote(urlsplit(celery_url.partition(";")[0]).fragment)
