"""start_counting(): from now on this process counts, and writes its totals down every few seconds."""

from __future__ import annotations

import atexit
import logging
import os
import socket
import threading
import uuid
from functools import cache
from pathlib import Path

from django.conf import settings

from agents.core.telemetry import set_telemetry
from memory_appliance.metrics.instruments import instruments
from memory_appliance.metrics.shared import SharedTotals, Totals, totals_of

logger = logging.getLogger(__name__)

WRITE_SECONDS = 5.0


class Publisher:
    """Writes down this process's totals under a name that no other process ever has."""

    def __init__(self, shared: SharedTotals, role: str) -> None:
        self._shared = shared
        self._name = f"{role}-{socket.gethostname()[:40]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._lock = threading.Lock()
        self._written: Totals | None = None
        self._failed = False

    def publish(self) -> None:
        """Never raises: what cannot be written now is written later, and the log says so once."""
        with self._lock:
            totals = totals_of(instruments.registry)
            try:
                if totals == self._written:
                    os.utime(self._shared.folder / f"{self._name}.json")
                else:
                    self._shared.write(self._name, totals)
                    self._written = totals
                self._failed = False
            except OSError as error:
                if not self._failed:
                    logger.warning("the figures for /metrics cannot be written for now", extra={"reason": str(error)})
                self._failed, self._written = True, None

    def keep_publishing(self) -> None:
        never = threading.Event()
        while not never.wait(WRITE_SECONDS):
            self.publish()


_publisher: Publisher | None = None


def start_counting(role: str) -> None:
    """Called once, by the processes whose work is counted: those of the web and the worker."""
    global _publisher
    set_telemetry(instruments)
    try:
        shared_totals().add_up_the_dead()
    except OSError as error:
        logger.warning("the figures of earlier processes stay as they are", extra={"reason": str(error)})
    _publisher = Publisher(shared_totals(), role)
    atexit.register(_publisher.publish)
    threading.Thread(target=_publisher.keep_publishing, name="metrics", daemon=True).start()


def current_totals() -> Totals:
    """Of all processes: this one's as of now, the others' as of a few seconds ago.

    This one's go through its file too, so that no later answer of another process can be behind this one.
    """
    if _publisher is None:
        return totals_of(instruments.registry)
    _publisher.publish()
    return shared_totals().read()


@cache
def shared_totals() -> SharedTotals:
    return SharedTotals(Path(settings.MEMORY_LOCAL_DIR) / "run" / "metrics")
