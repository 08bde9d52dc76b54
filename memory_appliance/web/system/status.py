"""Is the server well: its parts, its processes and their memory, its queues and its disk; live."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.registry.fleet import JobCount, jobs_under_way
from memory_appliance.embedding import models_client
from memory_appliance.health import HEARTBEAT_PATIENCE, health
from memory_appliance.processes import Process, processes
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from memory_appliance.web.words import PARTS, troubles_by_part
from workers.alive import silent_for
from workers.queues import QUEUES
from workers.replies import BrokerAway, Replies

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from workers.model_status import ModelStatus

FAST_SECONDS, SLOW_SECONDS = 2, 15
SILENT = ("worker", "beat", "watcher")
"""Processes that answer nobody, and say now and then that they live."""

QUEUE_WORDS: dict[str, StrOrPromise] = {
    "control": _("scheduled and nightly jobs"),
    "index": _("updates and rebuilds"),
    "embed": _("vectors, downloads, backups"),
    "rerank": _("reranking for a search"),
    "generate": _("writing for a search or a recall"),
    "bulk": _("vectors on other machines"),
}


@dataclass(frozen=True, slots=True)
class Part:
    name: StrOrPromise
    well: bool
    words: StrOrPromise


@dataclass(frozen=True, slots=True)
class Sign:
    """A process that says it lives. `ago`: seconds since it did; None when it never did."""

    name: str
    ago: int | None
    alive: bool


@dataclass(frozen=True, slots=True)
class Queue:
    """`waiting`: messages that no worker has taken up."""

    name: str
    words: StrOrPromise
    waiting: int


@dataclass(frozen=True, slots=True)
class StatusPage:
    """`queues` is None while the broker does not answer."""

    parts: tuple[Part, ...]
    processes: tuple[Process, ...]
    signs: tuple[Sign, ...]
    model: ModelStatus
    jobs: tuple[JobCount, ...]
    queues: tuple[Queue, ...] | None
    disk_free: int
    disk_total: int
    data_dir: str

    @property
    def memory_bytes(self) -> int:
        return sum(process.rss_bytes for process in self.processes)

    @property
    def well(self) -> bool:
        return all(part.well for part in self.parts)

    @property
    def disk_used(self) -> int:
        return self.disk_total - self.disk_free

    @property
    def poll_seconds(self) -> int:
        return FAST_SECONDS if self.jobs else SLOW_SECONDS


@owner_page
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    return answer(request, "system/status.html", {"page": status_page()})


def status_page() -> StatusPage:
    told = troubles_by_part(health())
    free, total = _disk()
    return StatusPage(
        parts=tuple(Part(name, part not in told, told.get(part, "")) for part, name in PARTS.items()),
        processes=processes(),
        signs=tuple(_sign(name) for name in SILENT),
        model=models_client().status(),
        jobs=jobs_under_way(),
        queues=_queues(),
        disk_free=free,
        disk_total=total,
        data_dir=str(settings.MEMORY_DATA_DIR),
    )


def _sign(name: str) -> Sign:
    silence = silent_for(settings.MEMORY_LOCAL_DIR / "run", name)
    alive = silence is not None and silence <= HEARTBEAT_PATIENCE.total_seconds()
    return Sign(name, None if silence is None else round(silence), alive)


def _queues() -> tuple[Queue, ...] | None:
    broker = _broker(settings.CELERY_BROKER_URL)
    try:
        return tuple(Queue(name, QUEUE_WORDS[name], broker.waiting(name)) for name in QUEUES)
    except BrokerAway:
        return None


@cache
def _broker(url: str) -> Replies:
    return Replies(url)


def _disk() -> tuple[int, int]:
    try:
        usage = shutil.disk_usage(settings.MEMORY_DATA_DIR)
    except OSError:
        return 0, 0
    return usage.free, usage.total
