"""Broker: it answers, has memory left, and messages do not pile up in its queues."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from redis.exceptions import RedisError

from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence
from workers.broker_address import broker_client
from workers.queues import QUEUES, queue_name

_SECONDS = 2.0
_MANY = 500
_FULL = 0.9


def _look(visit: Visit) -> Looking:
    names = [queue_name(queue, settings.MEMORY_SERVER_NAME) for queue in QUEUES]
    try:
        with broker_client(settings.CELERY_BROKER_URL, timeout=_SECONDS, connect=_SECONDS) as client:
            info = cast(dict[str, Any], client.info())
            waiting = {name: int(cast(int, client.llen(name))) for name in names}
    except (RedisError, OSError) as error:
        yield Seen(
            "problem",
            sentence(
                "The broker does not answer: {error}. Searches go on; updates and embedding wait, nothing is lost.",
                error=str(error).rstrip("."),
            ),
            sentence(
                "Start the server, or look at logs/broker.log; with a broker of your own, check MEMORY_BROKER_URL."
            ),
        )
        return
    used, most = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    if most and used > _FULL * most:
        yield Seen(
            "warning",
            sentence("The broker uses {used:.0%} of its memory.", used=used / most),
            sentence("Restart it: it holds nothing of worth."),
            "memory",
        )
    crowded = {name: count for name, count in waiting.items() if count > _MANY}
    if crowded:
        told = ", ".join(f"{count} in {name}" for name, count in crowded.items())
        yield Seen(
            "warning",
            sentence("Messages pile up: {told}.", told=told),
            sentence("See whether a worker is alive, and add workers."),
            "queues",
        )
    else:
        yield Seen(
            "ok",
            sentence(
                "It answers ({info}); {sum} messages wait.",
                info=info.get("redis_version", "version unknown"),
                sum=sum(waiting.values()),
            ),
        )


BROKER = Check("broker", "Broker", _look)
