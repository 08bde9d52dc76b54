"""The doctor beside a running server: all is proved, and what is broken for real is found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks import processes
from tests.integration.stack.server import ROOT, Server, until

Findings = dict[str, dict[str, Any]]


def doctor(server: Server, *arguments: str, **options: str) -> tuple[int, Findings]:
    """Exit code, and the findings by id."""
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"MEMORY_DATA_DIR": str(server.data_dir), "MEMORY_PORT": str(server.port), **options}
    environment["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, {finding["id"]: finding for finding in json.loads(done.stdout)["findings"]}


def slugs(server: Server) -> list[str]:
    return [agent["slug"] for agent in server.call("GET", "/api/v1/agents")["items"]]


def test_a_running_server_is_proved_well_and_left_as_it_was(server: Server) -> None:
    until("the model is there", lambda: (server.health() or {})["models"]["status"] == "ok", 120)
    before = slugs(server)
    _, found = doctor(server)
    canary = {name: one["level"] for name, one in found.items() if name.startswith("canary")}
    assert set(canary.values()) == {"ok"}, found
    assert {"canary.words", "canary.meaning", "canary.recall", "canary.group", "canary.stranger"} < set(canary)
    parts = ("web", "broker", "processes.worker", "processes.beat", "models.embed", "control-database")
    assert [found[part]["level"] for part in parts] == ["ok"] * len(parts)
    assert slugs(server) == before
    assert not list((server.data_dir / "workspaces").glob("canary-*"))


def test_a_model_that_is_not_there_is_a_problem(server: Server, tmp_path: Path) -> None:
    code, found = doctor(server, "--quick", MEMORY_EMBED_MODEL=f"local:{tmp_path}/missing.gguf")
    assert (code, found["models.embed"]["level"]) == (1, "problem")
    assert "missing.gguf" in found["models.embed"]["seen"]


def test_a_worker_that_stands_still_is_a_problem(server: Server, settings: Any, monkeypatch: Any) -> None:
    settings.MEMORY_DATA_DIR = settings.MEMORY_LOCAL_DIR = server.data_dir
    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 4.0)
    pids = server.processes("celery --quiet -A memory_appliance worker")
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(6)
        found = {seen.part: seen.level for seen in processes.PROCESSES.look(Visit())}
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    assert (found["worker"], found["beat"]) == ("problem", "ok")


def test_a_visit_that_is_interrupted_takes_the_canary_along(server: Server) -> None:
    environment = {**os.environ, "MEMORY_DATA_DIR": str(server.data_dir), "MEMORY_PORT": str(server.port)}
    environment["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
    process = subprocess.Popen([sys.executable, "manage.py", "doctor"], cwd=ROOT, env=environment)
    until("the canary is there", lambda: [slug for slug in slugs(server) if slug.startswith("canary-")], 60)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    assert not [slug for slug in slugs(server) if slug.startswith("canary-")]


def test_a_server_that_is_down_is_told_with_what_to_do(tmp_path: Path) -> None:
    nobody = Server(tmp_path / "data", 1)
    code, found = doctor(nobody, "--quick")
    assert code == 1
    assert found["control-database"]["level"] == "problem"
    assert "Start the server" in found["web"]["todo"] + found["broker"]["todo"]
    assert {one["level"] for name, one in found.items() if name in ("models", "queues", "indexes")} == {"skipped"}
    assert found["processes.worker"]["level"] == "problem"


@pytest.fixture(autouse=True)
def _no_strange_options(monkeypatch: Any) -> None:
    for name in [name for name in os.environ if name.startswith("MEMORY_")]:
        monkeypatch.delenv(name)
