"""Thousands of agents: start, overview, one edit on disk found, one agent created, and what the watcher costs.

    python -m bench.many [--agents 5000] [--data FOLDER]

Each agent has a workspace and an index of its own. The server is started on them as it is started by anybody: every
agent is looked at once after the start, and the times are taken while that goes on, and again when it is done.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from search.evaluation.machine import describe_machine
from tests.integration.stack.server import ROOT, Server, free_port, until

PASSWORD = "four words of a bench"

FILL = """
import sys, django; django.setup()
from pathlib import Path
from django.core.management import call_command
call_command("migrate", verbosity=0)
from agents.core.actors import Actor
from agents.registry.agents import create_agent
from agents.indexes.specs import index_spec
from search.index.update import update_index
import time
times = []
for number in range(int(sys.argv[1])):
    began = time.monotonic()
    agent = create_agent(actor=Actor("user:bench"), slug=f"agent-{number:05d}")
    times.append(time.monotonic() - began)
    Path(agent.workspace, "MEMORY.md").write_text(f"# Agent {number}\\n\\n- The boiler valve here is a BV-{number}.\\n")
    update_index(index_spec(agent), identity=None, progress=lambda _: None, cancelled=lambda: False, lock_timeout=5)
first, last = sorted(times[:100])[50] * 1000, sorted(times[-100:])[50] * 1000
print(f"creating an agent, in the process alone: {first:.1f} ms with under 100, {last:.1f} ms with {len(times)}")
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--agents", type=int, default=5000)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print(describe_machine(), "", flush=True)
    with tempfile.TemporaryDirectory(prefix="memory-many-") as folder:
        data = options.data or Path(folder) / "data"
        data.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "MEMORY_DATA_DIR": str(data),
            "DJANGO_SETTINGS_MODULE": "memory_appliance.settings",
        }
        if not (data / "workspaces").is_dir():  # else as an earlier run left them
            subprocess.run([sys.executable, "-c", FILL, str(options.agents)], cwd=ROOT, env=environment, check=True)
        server = Server(data, free_port())
        print(f"start until ready: {_took(lambda: server.start(MEMORY_ADMIN_PASSWORD=PASSWORD)):.1f} s", flush=True)
        try:
            _measure(server, "just after the start", "agent-00007")
            began = time.monotonic()
            until("all were looked at", lambda: _calm(server), 3600)
            print(f"all looked at after {time.monotonic() - began:.0f} s more", flush=True)
            _measure(server, "when calm", "agent-00011")
            _watcher(server)
        finally:
            server.stop()


def _measure(server: Server, when: str, edited: str) -> None:
    slug = f"new-{time.monotonic_ns()}"
    print(f"{when}:")
    print(f"  one agent created: {_took(lambda: server.call('POST', '/api/v1/agents', {'slug': slug})) * 1000:.0f} ms")
    print(f"  its first file found after {_found(server, slug):.1f} s")
    print(f"  an edit of one agent found after {_found(server, edited):.1f} s", flush=True)
    person = _signed_in(server)
    pages = [_took(lambda: person.open(f"http://127.0.0.1:{server.port}/").read()) for _ in range(9)]
    print(f"  overview page: {statistics.median(pages) * 1000:.0f} ms", flush=True)


def _signed_in(server: Server) -> OpenerDirector:
    cookies = CookieJar()
    person = build_opener(HTTPCookieProcessor(cookies))
    address = f"http://127.0.0.1:{server.port}/accounts/login/"
    person.open(address).read()
    token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
    form = {"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": token}
    person.open(address, urlencode(form).encode()).read()
    return person


def _found(server: Server, slug: str) -> float:
    word = f"word{time.monotonic_ns()}"
    (server.data_dir / "workspaces" / slug / "memory").mkdir(exist_ok=True)
    (server.data_dir / "workspaces" / slug / "memory" / f"{word}.md").write_text(f"- The {word} was put down.\n")
    began = time.monotonic()
    until("it is found", lambda: server.search(slug, word)["results"], 600)
    return time.monotonic() - began


def _calm(server: Server) -> bool:
    time.sleep(1)
    return not server.call("GET", "/api/v1/runs?state=queued&limit=1")["items"]


def _watcher(server: Server) -> None:
    pid = server.processes("launch.watch")[0]
    before, began = _cpu(pid), time.monotonic()
    time.sleep(60)
    share = (_cpu(pid) - before) / (time.monotonic() - began)
    print(f"watcher: {share:.1%} of a core", flush=True)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _took(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


if __name__ == "__main__":
    main()
