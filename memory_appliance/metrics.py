"""/metrics for Prometheus: read from the control database at every scrape, so that all web processes say the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from agents.models import Agent, Run, WorkerHeartbeat
from memory_appliance.health import health


class ControlPlane(Collector):
    """Totals only: no agent, key or person is named."""

    def collect(self) -> Iterator[Metric]:
        yield _parts()
        yield _runs()
        yield _heartbeats()
        agents = Agent.objects.aggregate(count=Count("pk"), pending=Sum("pending_embeddings"))
        yield GaugeMetricFamily("memory_agents", "Agents.", value=agents["count"])
        yield GaugeMetricFamily(
            "memory_pending_embeddings", "Chunks that wait for their vectors.", value=agents["pending"] or 0
        )
        free = shutil.disk_usage(settings.MEMORY_DATA_DIR).free
        yield GaugeMetricFamily("memory_disk_free_bytes", "Free space below the data folder.", value=free)


def _parts() -> Metric:
    family = GaugeMetricFamily("memory_part_ok", "1 while a part of the server works.", labels=["part"])
    for name, check in health().checks.items():
        family.add_metric([name], 1.0 if check.status == "ok" else 0.0)
    return family


def _runs() -> Metric:
    family = GaugeMetricFamily("memory_runs", "Background jobs on record.", labels=["kind", "state"])
    for row in Run.objects.order_by().values("kind", "state").annotate(count=Count("pk")):
        family.add_metric([row["kind"], row["state"]], row["count"])
    return family


def _heartbeats() -> Metric:
    family = GaugeMetricFamily(
        "memory_heartbeat_age_seconds", "Seconds since a background process gave a sign of life.", labels=["process"]
    )
    now = timezone.now()
    for heartbeat in WorkerHeartbeat.objects.all():
        family.add_metric([heartbeat.name], (now - heartbeat.at).total_seconds())
    return family


registry = CollectorRegistry()
registry.register(ControlPlane())


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
