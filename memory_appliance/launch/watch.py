"""`python -m memory_appliance.launch.watch`: the process that notices changes on disk, as MEMORY_WATCH says."""

from __future__ import annotations

import logging
import os
import signal
from functools import partial
from types import FrameType

import django

logger = logging.getLogger(__name__)


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
    django.setup()
    from django.conf import settings

    from workers.alive import say_alive
    from workers.watcher import RELOAD_SECONDS, Watcher

    each_round = partial(say_alive, settings.MEMORY_LOCAL_DIR / "run", "watcher")
    watcher = Watcher(polling=settings.OPTIONS.watch == "poll", each_round=each_round)

    def stop(_number: int, _frame: FrameType | None) -> None:
        watcher.stop.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if settings.OPTIONS.watch == "off":
        logger.info("MEMORY_WATCH=off: changes are found by the periodic update alone")
        each_round()
        while not watcher.stop.wait(RELOAD_SECONDS):
            each_round()
    else:
        watcher.run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
