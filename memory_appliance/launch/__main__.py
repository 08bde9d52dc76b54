"""`python -m memory_appliance.launch`: check, migrate, create the first admin, and run every process until Ctrl-C."""

from __future__ import annotations

import os

from memory_appliance.boot.say import LaunchFailed, fail, say
from memory_appliance.launch.announce import announce_in_background
from memory_appliance.launch.environment import environment, prepare_database
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.preflight import check_ports, lock_instance, own_folders, prepare_folders, raise_file_limit
from memory_appliance.launch.programs import programs, supervisor_config
from memory_appliance.launch.supervise import serve
from memory_appliance.launch.uv import ROOT
from memory_appliance.settings import MEMORY_SERVER_NAME, OPTIONS
from search.runtime.providers.choice import LOCAL, parse_choice


def main() -> int:
    layout = Layout(local_dir=OPTIONS.local_dir, host=OPTIONS.host, port=OPTIONS.port)
    variables = environment()
    chat_proxy_port = OPTIONS.chat_proxy_port if OPTIONS.chat_proxy_upstream_url else None
    try:
        say(f"Memory Appliance · data in {OPTIONS.data_dir}")
        prepare_folders(layout, OPTIONS.data_dir)
        locks = lock_instance(*own_folders(OPTIONS))
        check_ports(layout, chat_proxy_port)
        raise_file_limit()
        prepare_database(variables, alone=True)
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
        server=MEMORY_SERVER_NAME,
        chat_proxy_port=chat_proxy_port,
    )
    if not os.access(ROOT, os.W_OK):  # an image: nothing can be installed, and nothing is missing
        table = [program for program in table if not program.once]
    say(f"  ▸ Starting {', '.join(program.name for program in table)}")
    if layout.socket_dir != layout.run_dir:
        say(f"     sockets in {layout.socket_dir}: the folder's path is too long for them")
    announce_in_background(layout)
    with locks:
        return serve(layout, supervisor_config(layout, table), variables)


def _model_workers() -> int:
    chosen = (parse_choice("rerank", OPTIONS.rerank_model), parse_choice("generate", OPTIONS.generate_model))
    return max(OPTIONS.model_workers, int(LOCAL in {choice.provider for choice in chosen}))


if __name__ == "__main__":
    raise SystemExit(main())
