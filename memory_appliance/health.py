"""What works and what does not: six checks, each quick, remembered for a few seconds."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from threading import Lock
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from agents.models import WorkerHeartbeat
from agents.registry.unwell import unwell_agents
from agents.servers.common_clock import common_now
from memory_appliance.embedding import models_client
from workers.broker_address import broker_client

REMEMBER_SECONDS = 3.0
BROKER_TIMEOUT_SECONDS = 0.5
HEARTBEAT_PATIENCE = timedelta(seconds=30)
MOST_NAMED = 5
LOW_DISK_BYTES = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One part: `ok`, `degraded` (the server still searches by words) or `failed` (it cannot)."""

    status: Literal["ok", "degraded", "failed"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    status: Literal["ok", "degraded", "failed"]
    checks: dict[str, Check]


def look() -> Health:
    """Run every check now."""
    checks = {
        "database": _database(),
        "broker": _broker(),
        "workers": _workers(),
        "models": _models(),
        "disk": _disk(),
        "agents": _agents(),
    }
    found = {check.status for check in checks.values()}
    return Health("failed" if "failed" in found else "degraded" if "degraded" in found else "ok", checks)


class Remembered:
    """The latest health, at most `seconds` old: a monitor that asks often costs nothing."""

    def __init__(self, look: Callable[[], Health], seconds: float) -> None:
        self._look, self._seconds = look, seconds
        self._lock = Lock()
        self._health: Health | None = None
        self._until = 0.0

    def __call__(self) -> Health:
        with self._lock:
            if self._health is None or time.monotonic() >= self._until:
                self._health = self._look()
                self._until = time.monotonic() + self._seconds
            return self._health


health = Remembered(look, REMEMBER_SECONDS)


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """200 as long as searches by words are answered, else 503."""
    now = health()
    body = {"status": now.status, "checks": {name: asdict(check) for name, check in now.checks.items()}}
    if now.status != "failed":
        return JsonResponse(body)
    return JsonResponse(body, status=503, headers={"Retry-After": str(math.ceil(REMEMBER_SECONDS))})


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM agents_agent LIMIT 1")
    except DatabaseError:
        return Check("failed", "The control database cannot be read.")
    return Check("ok")


def _broker() -> Check:
    seconds = BROKER_TIMEOUT_SECONDS
    try:
        with broker_client(settings.CELERY_BROKER_URL, timeout=seconds, connect=seconds) as broker:
            broker.ping()
    except (RedisError, OSError):
        return Check("degraded", "The broker does not answer: updates wait, searches go on.")
    return Check("ok")


def _workers() -> Check:
    try:
        now = common_now()
        alive = WorkerHeartbeat.objects.filter(
            # Not later than now either: a worker that died before the clock was set back would live for a long time.
            name=WorkerHeartbeat.own(),
            at__range=(now - HEARTBEAT_PATIENCE, now + HEARTBEAT_PATIENCE),
        ).exists()
    except DatabaseError:
        return Check("degraded", "Not known while the control database cannot be read.")
    return Check("ok") if alive else Check("degraded", "No worker is alive: changed files are not indexed for now.")


def _models() -> Check:
    status = models_client().status()
    if status.state == "ready":
        return Check("ok", status.model)
    return Check("degraded", status.detail)


def _disk() -> Check:
    try:
        free = shutil.disk_usage(settings.MEMORY_DATA_DIR).free
    except OSError:
        return Check("failed", "The data folder cannot be read.")
    if free < LOW_DISK_BYTES:
        return Check("degraded", f"Only {free // (1024 * 1024)} MB are free.")
    return Check("ok")


def _agents() -> Check:
    try:
        slugs = unwell_agents()
    except DatabaseError:
        return Check("degraded", "Not known while the control database cannot be read.")
    if not slugs:
        return Check("ok")
    more = f" and {len(slugs) - MOST_NAMED} more" if len(slugs) > MOST_NAMED else ""
    return Check("degraded", f"In trouble, while all others are served: {', '.join(slugs[:MOST_NAMED])}{more}.")
