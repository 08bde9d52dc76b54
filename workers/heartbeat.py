"""The worker's signs of life, and the runs that a dead predecessor on this machine left behind."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from celery.signals import worker_ready
from django.db import DatabaseError, connection

from agents.models import Run, WorkerHeartbeat
from agents.servers.common_clock import common_now
from workers.lease import PLACE, PROCESS
from workers.stopping import STOPPING

logger = logging.getLogger(__name__)

BEAT_SECONDS = 5.0


@worker_ready.connect
def _start(**_: Any) -> None:
    threading.Thread(target=_keep_beating, name="heartbeat", daemon=True).start()


def _keep_beating() -> None:
    inherited = False
    while True:
        try:
            if not inherited:
                release_runs_of_the_dead()
                inherited = True
            beat()
        except DatabaseError as error:
            logger.warning("the heartbeat could not be written: %s", error)
            connection.close()
        if STOPPING.wait(BEAT_SECONDS):
            return


def beat() -> None:
    """Say that this worker lives, and how much memory it holds (bytes)."""
    detail = {"pid": os.getpid(), "rss": _resident_bytes()}
    WorkerHeartbeat.objects.update_or_create(
        name=WorkerHeartbeat.own(), defaults={"at": common_now(), "detail": detail}
    )


def release_runs_of_the_dead() -> int:
    """Let the leases of processes of this machine that are gone run out now, and not in a minute. How many runs."""
    now = common_now()
    running = Run.objects.filter(state=Run.State.RUNNING)
    return running.filter(lease_owner__in=_dead(running.values_list("lease_owner", flat=True))).update(lease_until=now)


def _dead(owners: Iterable[str]) -> list[str]:
    """Those that were threads of a process of this machine which is gone."""
    host = f"{PLACE}:"
    others = (owner for owner in owners if owner.startswith(host) and not owner.startswith(PROCESS))
    return [owner for owner in others if not _may_be_alive(owner.removeprefix(host).split(":")[0])]


def _may_be_alive(pid: str) -> bool:
    # The number of a dead process may be ours by now; in a container it always is.
    return int(pid) != os.getpid() and Path(f"/proc/{pid}").exists()


def _resident_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
