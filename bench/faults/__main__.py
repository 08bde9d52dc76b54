"""The fault table: each fault is really done to a running server, while searches and notes go on.

    python -m bench.faults [WORD …]      only the faults with one of these words in their names

Needs root for the disks, and gcc for the slow one and for the clock.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.faults import clock, connections, disks, processes
from bench.faults.libraries import compiled
from bench.faults.stage import HEAD, furnished, suffer
from search.evaluation.machine import describe_machine
from tests.integration.stack.server import Server, free_port

Do = Callable[[Server], object]


def ordinary() -> dict[str, Do]:
    killed: dict[str, Do] = {name: partial(Server.kill, words=words) for name, words in processes.KILLED.items()}
    return killed | {
        "broker hangs 10 s": partial(processes.hang, words="valkey-server"),
        "models process hangs 10 s": partial(processes.hang, words="workers.process"),
        "kill -9 supervisor, start again": processes.supervisor_dies,
        "power cut, start again": processes.power_cut,
        "index: header overwritten": partial(disks.damaged_index, at=0.0, size=4096),
        "index: middle overwritten": partial(disks.damaged_index, at=0.4, size=65536),
        "index deleted": disks.deleted_index,
        "model file overwritten": disks.damaged_model,
        "workspace away 15 s": disks.workspace_away,
        "workspace read-only 15 s": partial(disks.read_only, folder="workspaces"),
        "index folder read-only 15 s": partial(disks.read_only, folder="indexes"),
        "1,000 silent connections, 10 s": connections.silent,
        "1,000 connections with slow headers, 10 s": connections.slow_headers,
        "300 slow bodies, 10 s": connections.slow_bodies,
        "60 huge bodies": connections.huge_bodies,
    }


def jumps() -> dict[str, Do]:
    return {
        "clock set forward by 400 days": partial(clock.jump, days=400),
        "clock set back by 401 days": partial(clock.jump, days=-1),
    }


@contextmanager
def server_for(kind: str) -> Iterator[Server]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-faults-")))
        options: dict[str, str] = {}
        if kind == "full":
            folder = stack.enter_context(disks.small_disk(folder / "disk"))
        elif kind == "slow":
            options = {
                "LD_PRELOAD": str(compiled("slow_disk.c", folder)), "SLOW_MS": "20", "SLOW_BELOW": str(folder / "data"),
            }  # fmt: skip
        elif kind == "clock":
            options = clock.options(folder)
        yield stack.enter_context(furnished(folder, free_port(), **options))


def main(words: list[str]) -> None:
    print(describe_machine(), "", HEAD, sep="\n", flush=True)
    groups: dict[str, dict[str, Do]] = {
        "ordinary": ordinary(),
        "full": {"disk full 15 s": disks.fill},
        "slow": {"slow disk: +20 ms a write or sync, +2 ms a read, 15 s": disks.slow_for_a_while},
        "clock": jumps(),
    }
    for kind, faults in groups.items():
        chosen = {name: do for name, do in faults.items() if not words or any(word in name for word in words)}
        if chosen:
            with server_for(kind) as server:
                for name, do in chosen.items():
                    print(suffer(server, name, do), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
