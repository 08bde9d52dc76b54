"""Census: how much room all indexes take, counted now and then beside the work; the heartbeat passes it on."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 300.0


def count_indexes(folder: Path) -> dict[str, int]:
    """Indexes, and the bytes of everything that belongs to them. Raises OSError when the folder cannot be read."""
    files = size = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                size += entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue  # a build that was swapped in meanwhile
            files += entry.name.endswith(".sqlite")
    return {"index_files": files, "index_bytes": size}


class Census:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.latest: dict[str, int] = {}
        """Empty until the first count is done."""

    def keep_counting(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                self.latest = count_indexes(self._folder)
            except OSError as error:
                logger.warning("the indexes cannot be counted", extra={"reason": str(error)})
            stop.wait(PERIOD_SECONDS)
