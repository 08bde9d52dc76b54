"""`python -m memory_appliance.launch`: check, migrate, create the first admin, and run every process until Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from memory_appliance.launch.announce import announce_in_background
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.preflight import check_port, lock_instance, prepare_folders, raise_file_limit
from memory_appliance.launch.programs import programs, supervisor_config
from memory_appliance.launch.say import LaunchFailed, fail, say, step
from memory_appliance.launch.supervise import serve
from memory_appliance.launch.uv import ROOT
from memory_appliance.settings import OPTIONS
from search.runtime.providers.choice import LOCAL, parse_choice

_ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "memory_appliance.settings",
    "PYTHONUNBUFFERED": "1",
    # One thread per BLAS call: the processes already use every core, and two threads measured slower.
    "OPENBLAS_NUM_THREADS": "1",
    # Many short-lived threads would otherwise each keep an arena of freed memory.
    "MALLOC_ARENA_MAX": "2",
}


def main() -> int:
    layout = Layout(data_dir=OPTIONS.data_dir, host=OPTIONS.host, port=OPTIONS.port)
    environment = {
        **_ENVIRONMENT,
        "MEMORY_DATA_DIR": str(layout.data_dir),
        "MEMORY_MODEL_THREADS": str(OPTIONS.model_threads),
    }
    try:
        say(f"Memory Appliance · data in {layout.data_dir}")
        prepare_folders(layout)
        lock = lock_instance(layout)
        check_port(layout)
        raise_file_limit()
        _prepare(environment)
    except LaunchFailed as failure:
        return fail(failure)
    except KeyboardInterrupt:
        say("stopped")
        return 130
    table = programs(
        layout,
        own_broker=OPTIONS.broker_url is None,
        web_workers=OPTIONS.web_workers,
        model_workers=_model_workers(),
        web_threads=OPTIONS.web_threads,
        node=OPTIONS.node_name,
    )
    say(f"  ▸ Starting {', '.join(program.name for program in table)}")
    if layout.socket_dir != layout.run_dir:
        say(f"     sockets in {layout.socket_dir}: the data folder's path is too long for them")
    announce_in_background(layout)
    with lock:
        return serve(layout, supervisor_config(layout, table), environment)


def _model_workers() -> int:
    chosen = (parse_choice("rerank", OPTIONS.rerank_model), parse_choice("generate", OPTIONS.generate_model))
    return max(OPTIONS.model_workers, int(LOCAL in {choice.provider for choice in chosen}))


def _prepare(environment: Mapping[str, str]) -> None:
    """In a process of its own, so that this one, which stays, need not hold Django."""
    with step("Preparing the control database, an admin and a key"):
        done = subprocess.run(
            [sys.executable, "-m", "memory_appliance.launch.prepare"],
            cwd=ROOT,
            env={**os.environ, **environment},
            check=False,
        )
        if done.returncode != 0:
            raise LaunchFailed("the control database could not be prepared", hint="the lines above say why")


if __name__ == "__main__":
    raise SystemExit(main())
