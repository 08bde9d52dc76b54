"""What every program of the server is started with, and the preparation of the database that comes before them all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from memory_appliance.boot.say import LaunchFailed, step
from memory_appliance.launch.uv import ROOT
from memory_appliance.settings import OPTIONS


def environment() -> dict[str, str]:
    """The variables that are set for every program, whatever the owner's environment says."""
    return {
        "DJANGO_SETTINGS_MODULE": "memory_appliance.settings",
        "PYTHONUNBUFFERED": "1",
        # One thread per BLAS call: the processes already use every core, and two threads measured slower.
        "OPENBLAS_NUM_THREADS": "1",
        # Many short-lived threads would otherwise each keep an arena of freed memory.
        "MALLOC_ARENA_MAX": "2",
        "MEMORY_DATA_DIR": str(OPTIONS.data_dir),
        "MEMORY_LOCAL_DIR": str(OPTIONS.local_dir),
        "MEMORY_MODEL_THREADS": str(OPTIONS.model_threads),
        "MEMORY_LOG_LEVEL": OPTIONS.log_level,
        "MEMORY_LOG_FORMAT": OPTIONS.log_format,
    }


def prepare_database(variables: Mapping[str, str], *, alone: bool) -> None:
    """In a process of its own, so that this one, which stays, need not hold Django. Raises `LaunchFailed`.

    `alone`: this start holds the data folder, so no other program of the server runs on it.
    """
    with step("Preparing the control database, an admin and a key"):
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "memory_appliance.launch.prepare", *(["--alone"] if alone else [])],
            cwd=ROOT,
            env={**os.environ, **variables},
            check=False,
        )
        if done.returncode != 0:
            raise LaunchFailed("the control database could not be prepared", hint="the lines above say why")
