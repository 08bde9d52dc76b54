"""Present: how things stand at the moment of a scrape, from the control database, the broker and the models process.

Totals only: no agent, key or person is named. No index is opened for it: what each held after its last job is a row.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from agents.models import Agent, IndexSnapshot, Run, WorkerHeartbeat
from memory_appliance import health
from memory_appliance.embedding import models_client
from workers.queues import QUEUES, queue_name
from workers.replies import BrokerAway, Replies


class Present(Collector):
    """What cannot be found out now is left out; `memory_part_ok` says which part it is that does not answer."""

    def collect(self) -> Iterator[Metric]:
        yield _parts()
        yield from _disk()
        yield from _models()
        with suppress(DatabaseError):
            yield from _rows()
        with suppress(BrokerAway):
            yield _queues()


def _parts() -> Metric:
    family = GaugeMetricFamily("memory_part_ok", "1 while a part of the server works.", labels=["part"])
    for name, check in health.health().checks.items():
        family.add_metric([name], 1.0 if check.status == "ok" else 0.0)
    return family


def _disk() -> Iterator[Metric]:
    try:
        usage = shutil.disk_usage(settings.MEMORY_DATA_DIR)
    except OSError:
        return
    yield GaugeMetricFamily("memory_disk_free_bytes", "Free space below the data folder.", value=usage.free)
    yield GaugeMetricFamily("memory_disk_bytes", "Size of the disk of the data folder.", value=usage.total)


def _rows() -> Iterator[Metric]:
    """Raises DatabaseError."""
    now = timezone.now()
    agents = Agent.objects.aggregate(count=Count("pk"), pending=Sum("pending_embeddings"))
    runs = list(Run.objects.order_by().values_list("kind", "state").annotate(count=Count("pk")))
    due = Run.objects.filter(Q(not_before__isnull=True) | Q(not_before__lte=now), state=Run.State.QUEUED)
    since = Coalesce("not_before", "created_at")
    oldest = dict(due.order_by().values_list("kind").annotate(since=Min(since)))
    heartbeats = list(WorkerHeartbeat.objects.all())
    held = IndexSnapshot.objects.aggregate(size=Sum("size_bytes"), files=Sum("files"), chunks=Sum("chunks"))
    yield GaugeMetricFamily("memory_agents", "Agents.", value=agents["count"])
    yield GaugeMetricFamily(
        "memory_pending_embeddings", "Chunks that wait for their vectors.", value=agents["pending"] or 0
    )
    yield _runs(runs)
    yield _waits(oldest, now)
    yield _heartbeats(heartbeats, now)
    yield GaugeMetricFamily("memory_index_bytes", "Size of all index files together.", value=held["size"] or 0)
    yield GaugeMetricFamily("memory_index_files", "Files that are indexed.", value=held["files"] or 0)
    yield GaugeMetricFamily("memory_index_chunks", "Chunks in all indexes.", value=held["chunks"] or 0)


def _runs(rows: Iterable[tuple[str, str, int]]) -> Metric:
    family = GaugeMetricFamily("memory_runs", "Background jobs on record.", labels=["kind", "state"])
    for kind, state, count in rows:
        family.add_metric([kind, state], count)
    return family


def _waits(since: Mapping[str, datetime], now: datetime) -> Metric:
    family = GaugeMetricFamily(
        "memory_run_wait_seconds", "How long the longest waiting job that could begin has waited.", labels=["kind"]
    )
    for kind in Run.Kind.values:
        family.add_metric([kind], max(0.0, (now - since.get(kind, now)).total_seconds()))
    return family


def _heartbeats(rows: Iterable[WorkerHeartbeat], now: datetime) -> Metric:
    age = GaugeMetricFamily(
        "memory_heartbeat_age_seconds", "Seconds since a background process gave a sign of life.", labels=["process"]
    )
    for row in rows:
        age.add_metric([row.name], (now - row.at).total_seconds())
    return age


def _queues() -> Metric:
    """Raises BrokerAway."""
    family = GaugeMetricFamily("memory_queue_messages", "Messages that no worker has taken up.", labels=["queue"])
    for queue in QUEUES:
        family.add_metric(
            [queue], _broker(settings.CELERY_BROKER_URL).waiting(queue_name(queue, settings.MEMORY_SERVER_NAME))
        )
    return family


@cache
def _broker(url: str) -> Replies:
    return Replies(url)


def _models() -> Iterator[Metric]:
    status = models_client().status()
    if status.state == "down":
        return
    yield GaugeMetricFamily("memory_models_resident_bytes", "Memory of the models process.", value=status.rss_bytes)
    yield CounterMetricFamily(
        "memory_models_embedded_texts", "Texts the models process has embedded since it started.", status.embedded
    )
    yield CounterMetricFamily("memory_models_tokens", "Tokens it has read for that.", status.tokens)
    each = GaugeMetricFamily("memory_model_bytes", "Memory of each loaded model.", labels=["model", "role"])
    for model in status.models:
        each.add_metric([str(model["model"]), str(model["role"])], float(model["memory_bytes"]))
    yield each
