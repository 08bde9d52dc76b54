"""`python -m memory_appliance.launch.one NAME`: one program of the server in the foreground, as a container runs it.

The same table that the supervisor is given says how each is started: there is no second way to run a program. `web`
brings the control database up to date first, so whoever waits until it is healthy finds the database ready.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from memory_appliance.boot.say import LaunchFailed, fail
from memory_appliance.launch.environment import environment, prepare_database
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.leftovers import remove_leftovers
from memory_appliance.launch.preflight import prepare_folders, raise_file_limit
from memory_appliance.launch.programs import CHAT_PROXY, Program, programs
from memory_appliance.launch.uv import ROOT
from memory_appliance.settings import MEMORY_SERVER_NAME, OPTIONS

KEEPER = "web"
"""The program that puts the data folder in order before it starts."""


def main(arguments: Sequence[str] | None = None) -> int:
    layout = Layout(local_dir=OPTIONS.local_dir, host=OPTIONS.host, port=OPTIONS.port)
    table = {program.name: program for program in _table(layout)}
    parser = argparse.ArgumentParser(prog="python -m memory_appliance.launch.one", description=__doc__)
    parser.add_argument("program", choices=sorted(table))
    chosen = table[parser.parse_args(arguments).program]
    os.environ.update(environment())
    try:
        if chosen.name == CHAT_PROXY and not OPTIONS.chat_proxy_upstream_url:
            raise LaunchFailed(
                "the chat proxy has no model to pass turns on to",
                hint="set MEMORY_CHAT_PROXY_UPSTREAM_URL, such as http://127.0.0.1:11434/v1",
            )
        prepare_folders(layout, OPTIONS.data_dir)
        raise_file_limit()
        if chosen.name == KEEPER:
            remove_leftovers(layout.local_dir / "tmp")
            prepare_database(os.environ, alone=False)
    except LaunchFailed as failure:
        return fail(failure)
    return _become(chosen)


def _become(program: Program) -> NoReturn:
    """Not a child of ours: the signals of the container's owner reach the program itself."""
    os.chdir(ROOT)
    os.execv(program.command[0], list(program.command))  # noqa: S606 - our own command


def _table(layout: Layout) -> list[Program]:
    table = programs(
        layout,
        own_broker=True,
        web_workers=OPTIONS.web_workers,
        web_threads=OPTIONS.web_threads,
        server=MEMORY_SERVER_NAME,
        model_workers=1,
        chat_proxy_port=OPTIONS.chat_proxy_port,
    )
    return [program for program in table if not program.once]


if __name__ == "__main__":
    raise SystemExit(main())
