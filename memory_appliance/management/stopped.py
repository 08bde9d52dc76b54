"""server_stopped(): for the length of the block nothing runs on this data folder, nor starts on it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from memory_appliance.launch.layout import Layout
from memory_appliance.launch.preflight import lock_instance, own_folders, prepare_folders
from memory_appliance.management.memory.output import Failed
from workers.alive import silent_for

_ALIVE_SECONDS = 15.0
_POLL_SECONDS = 0.5


@contextmanager
def server_stopped() -> Iterator[None]:
    """Neither a server of `make run` nor the containers that share this folder. Raises `LaunchFailed` and `Failed`."""
    options = settings.OPTIONS
    layout = Layout(options.local_dir, options.host, options.port)
    prepare_folders(layout, options.data_dir)
    with lock_instance(*own_folders(options)):
        for name in ("worker", "beat", "watcher"):
            _wait_for_silence(layout.run_dir, name)
        yield


def _wait_for_silence(run_dir: Path, name: str) -> None:
    """A process that lives says so every few seconds; one that was just stopped never again. Raises `Failed`."""
    silence = silent_for(run_dir, name)
    while silence is not None and silence < _ALIVE_SECONDS:
        time.sleep(_POLL_SECONDS)
        before, silence = silence, silent_for(run_dir, name)
        if silence is not None and silence < before:
            raise Failed(
                f"The {name} of this data folder is alive. Stop the server first (docker compose stop); "
                "a single agent can be restored while it runs: restore --agent."
            )
