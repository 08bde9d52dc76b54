"""PostgreSQL goes and comes back under a running server: clear words meanwhile, and nothing has to be started again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError

import pytest

from memory_appliance.health import REMEMBER_SECONDS
from tests.integration.stack.server import KEY, ROOT, Server, free_port, until
from tests.postgres import Postgres, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    cluster = Postgres.temporary()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="module")
def server(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("server") / "data", free_port())
    one.start(DATABASE_URL=postgres.url, MEMORY_EMBED_MODEL="none", MEMORY_UPDATE_DEBOUNCE_SECONDS="0")
    yield one
    one.stop()


def ask(server: Server, path: str, body: object = None) -> tuple[int, Message, bytes]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream" if path == "/mcp" else "*/*",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


SEARCH = {"query": "spare key"}
TOOL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "memory_search", "arguments": {"query": "spare key", "agent": "al"}},
}
DOORS = [
    ("/api/v1/agents/al/search", SEARCH),
    ("/api/v1/agents/al/notes", {"text": "The cat is called Tom."}),
    ("/api/v1/agents", None),
    ("/accounts/login/", None),
    ("/health/ready", None),
    ("/mcp", TOOL),
]


def test_clear_words_while_it_is_away_and_nothing_to_start_again(postgres: Postgres, server: Server) -> None:
    workspace = Path(server.call("POST", "/api/v1/agents", {"slug": "al"})["workspace"])
    (workspace / "MEMORY.md").write_text("- The spare key is under the blue pot.\n")
    until("found", lambda: server.finds("al", "spare key", "MEMORY.md"), 120)

    postgres.stop()
    time.sleep(REMEMBER_SECONDS + 1)  # each web process knows its readiness for so long
    for path, body in DOORS * 2:  # the second time no connection is left that could break
        began = time.monotonic()
        status, headers, content = ask(server, path, body)
        assert status == 503 and int(headers.get("Retry-After", 0)) > 0, (path, status, content)
        assert b"control database" in content, (path, content)
        assert time.monotonic() - began < 10
    assert ask(server, "/health/live")[0] == 200
    doctor = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--quick"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "MEMORY_DATA_DIR": str(server.data_dir), "DATABASE_URL": postgres.url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert doctor.returncode == 1 and "control database" in doctor.stdout.lower(), doctor.stdout + doctor.stderr
    assert "Traceback" not in doctor.stderr and "Start PostgreSQL" in doctor.stdout

    before = {pid for words in ("granian", "celery", "watch", "beat") for pid in server.processes(words)}
    postgres.go_on()
    until("every door answers", lambda: all(ask(server, path, body)[0] < 300 for path, body in DOORS), 15)
    (workspace / "MEMORY.md").write_text("- The bicycle stands in the cellar.\n")
    until("watcher, clock and worker go on", lambda: server.finds("al", "bicycle", "MEMORY.md"), 120)
    until(
        "a worker says that it lives",
        lambda: server.call("GET", "/health/ready")["checks"]["workers"]["status"] == "ok",
        60,
    )
    assert before <= set(server.processes()), server.said()


def test_a_start_waits_for_it_but_not_for_a_wrong_name(postgres: Postgres, server: Server, tmp_path: Path) -> None:
    def prepare(url: str) -> subprocess.Popen[str]:
        environment = {"PATH": "/usr/bin:/bin", "MEMORY_DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": url}
        command = [sys.executable, "-m", "memory_appliance.launch.prepare"]
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    said, _ = (wrong := prepare(postgres.url + "-not")).communicate(timeout=60)
    assert wrong.returncode == 1 and "does not exist" in said and "DATABASE_URL" in said, said
    postgres.stop()
    waits = prepare(postgres.url)
    assert waits.stdout is not None and "waiting for it" in waits.stdout.readline()
    postgres.go_on()
    said, _ = waits.communicate(timeout=90)
    assert waits.returncode == 0, said
