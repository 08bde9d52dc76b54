"""More hands on one broker: a second indexing worker does a node's jobs, and both never do the same one.

That model workers of other machines take part by the broker's address alone is tests/integration/ladder.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.integration.nodes.fleet import Fleet, Node
from tests.integration.stack.server import ROOT, until

WORKER = "-A memory_appliance worker"


@contextmanager
def second_worker(node: Node) -> Iterator[None]:
    command = [
        "celery",
        "-A",
        "memory_appliance",
        "worker",
        "--queues",
        f"index.{node.name}",
        "--hostname",
        "second@%h",
    ]
    command += ["--pool", "threads", "--concurrency", "2", "--without-gossip", "--without-mingle"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
    environment |= {"MEMORY_DATA_DIR": str(node.data_dir), **node.options}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def test_a_second_worker_takes_over_from_one_that_hangs(fleet: Fleet, agent: str) -> None:
    own = fleet.a.processes(WORKER)
    with second_worker(fleet.a):
        for pid in own:
            os.kill(pid, signal.SIGSTOP)
        try:
            path = fleet.a.data_dir / "workspaces" / agent / "MEMORY.md"
            path.write_text("- The second pair of hands.\n")
            until("the new worker does it", lambda: updated(fleet.b, agent), 90)
        finally:
            for pid in own:
                os.kill(pid, signal.SIGCONT)
        assert fleet.b.finds(agent, "second pair", "MEMORY.md")
        runs = [fleet.a.done(fleet.a.update(agent)) for _ in range(5)]
    assert [run["state"] for run in runs] == ["done"] * 5


def updated(node: Node, slug: str) -> bool:
    """Asks for an update, through the other node, and looks whether it ends soon; a hanging worker may have got it."""
    run, limit = node.update(slug), time.monotonic() + 3
    while time.monotonic() < limit:
        if node.run(run)["state"] == "done":
            return True
        time.sleep(0.1)
    return False
