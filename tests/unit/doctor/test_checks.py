"""Each check finds what is really broken, and is content with what is not."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.core.paths import index_path
from agents.models import Agent, Run, WorkerHeartbeat
from agents.providers.embedding import set_embedder_factory
from memory_appliance.doctor.checks.agents import AGENTS
from memory_appliance.doctor.checks.backups import BACKUPS
from memory_appliance.doctor.checks.broker import BROKER
from memory_appliance.doctor.checks.clock import CLOCK
from memory_appliance.doctor.checks.configuration import CONFIGURATION
from memory_appliance.doctor.checks.data_folder import DATA_FOLDER
from memory_appliance.doctor.checks.disk import DISK
from memory_appliance.doctor.checks.indexes import INDEXES
from memory_appliance.doctor.checks.models import MODELS
from memory_appliance.doctor.checks.processes import PROCESSES
from memory_appliance.doctor.checks.queues import QUEUES
from memory_appliance.doctor.checks.versions import VERSIONS
from memory_appliance.doctor.checks.web import WEB
from memory_appliance.doctor.checks.worker import WORKER
from search.index.damage import is_damaged
from tests.integration.stack.server import free_port
from tests.unit.doctor.conftest import Look
from workers.alive import say_alive
from workers.client import ModelsClient


def test_versions_name_what_is_really_loaded(look: Look) -> None:
    assert "sqlite-vec 0.1" in look(VERSIONS)[""].seen


def test_a_sound_index_is_content(al: Agent, look: Look) -> None:
    assert look(INDEXES)[""].seen.startswith("1 of 1 are sound")


def test_a_page_that_went_bad_is_found_and_handed_to_the_next_update(al: Agent, look: Look) -> None:
    path = index_path("al")
    data = bytearray(path.read_bytes())
    data[8 * 4096 : 10 * 4096] = b"\xee" * 8192
    path.write_bytes(data)
    path.with_name("al.sqlite-wal").unlink(missing_ok=True)
    found = look(INDEXES)["al"]
    assert found.level == "problem"
    assert "memory index --agent al" in found.todo
    assert is_damaged(path)


def test_a_file_that_is_no_index_is_found(al: Agent, look: Look) -> None:
    index_path("al").write_bytes(b"not a database at all" * 500)
    assert look(INDEXES, quick=True)["al"].level == "problem"


def test_an_agent_without_its_folder_is_found(al: Agent, look: Look) -> None:
    assert look(AGENTS)[""].seen == "1 of 1 are well."
    shutil.rmtree(al.workspace)
    assert look(AGENTS)["al"].level == "problem"


def test_an_update_that_failed_is_told(al: Agent, look: Look) -> None:
    Agent.objects.update(last_error="the disk is full")
    assert (look(AGENTS)["al"].level, "the disk is full" in look(AGENTS)["al"].seen) == ("warning", True)


def test_a_folder_that_cannot_be_written_is_found(look: Look, data_dir: Path) -> None:
    assert look(DATA_FOLDER)[""].level == "ok"
    (data_dir / "indexes").symlink_to("/proc/sys")  # not even root may make a file there
    assert look(DATA_FOLDER)["indexes"].level == "problem"


def test_a_key_that_others_can_read_is_found(look: Look, data_dir: Path) -> None:
    (data_dir / "run").mkdir(mode=0o700)
    (data_dir / "run/secret_key").touch(0o644)
    found = look(DATA_FOLDER)["open-secret_key"]
    assert (found.level, found.todo) == ("warning", f"chmod go-rwx {data_dir}/run/secret_key")


def test_a_disk_that_fills_up_is_found(look: Look, monkeypatch: Any) -> None:
    assert look(DISK)[""].level in ("ok", "warning")
    monkeypatch.setattr("memory_appliance.doctor.checks.disk.PROBLEM_BYTES", 10**18)
    assert look(DISK)[""].level == "problem"


def test_a_clock_that_went_back_is_found(look: Look) -> None:
    assert look(CLOCK)[""].level == "ok"
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now() + timedelta(hours=3))
    assert look(CLOCK)["back"].level == "problem"
    assert "2:59:" in look(CLOCK)["back"].title or "3:00:00" in look(CLOCK)["back"].title


def test_nobody_at_the_address_is_found(look: Look, settings: Any) -> None:
    settings.OPTIONS = settings.OPTIONS.model_copy(update={"port": free_port()})
    assert look(WEB)[""].level == "problem"


@pytest.fixture
def other_server() -> Iterator[int]:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"hello": "world"}')

        def log_message(self, *_: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_somebody_else_at_the_address_is_found(look: Look, settings: Any, other_server: int) -> None:
    settings.OPTIONS = settings.OPTIONS.model_copy(update={"port": other_server})
    assert "not this server" in look(WEB)[""].seen


def test_a_broker_that_is_away_is_found(look: Look, settings: Any, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    found = look(BROKER)[""]
    assert found.level == "problem" and ".." not in found.seen


def test_processes_are_alive_by_what_they_left_just_now(look: Look, data_dir: Path) -> None:
    say_alive(data_dir / "run", "worker")
    found = look(PROCESSES)
    assert (found["worker"].level, found["beat"].level, found["watcher"].level) == ("ok", "problem", "warning")


def test_jobs_that_failed_wait_or_were_lost_are_found(al: Agent, look: Look) -> None:
    Run.objects.all().delete()
    assert set(look(QUEUES)) == {""}
    now, long_ago = timezone.now(), timezone.now() - timedelta(hours=1)
    Run.objects.create(agent=al, kind="update", state="failed", error="no space", finished_at=now)
    Run.objects.create(agent=al, kind="embed", state="running", lease_until=long_ago)
    waiting = Run.objects.create(agent=al, kind="rebuild")
    Run.objects.filter(pk=waiting.pk).update(created_at=long_ago)
    assert {part: seen.level for part, seen in look(QUEUES).items()} == {
        "age": "warning", "lost": "problem", "failed": "warning",
    }  # fmt: skip


def test_a_models_process_that_is_away_is_found(look: Look, tmp_path: Path) -> None:
    set_embedder_factory(lambda: ModelsClient(tmp_path / "nobody.sock"))
    found = look(MODELS)
    assert (found["embed"].level, found["rerank"].level) == ("problem", "skipped")
    assert "words alone" in found["embed"].seen


def test_an_option_that_is_none_is_told(look: Look, settings: Any) -> None:
    settings.MEMORY_UNKNOWN_OPTIONS = {"MEMORY_PROT": "MEMORY_PORT"}
    assert look(CONFIGURATION)["memory.w003"].todo == "Did you mean MEMORY_PORT?"


def test_no_backup_is_told(look: Look) -> None:
    assert (look(BACKUPS)[""].level, look(BACKUPS)[""].todo) == ("warning", "manage.py backup")


def test_a_worker_that_cannot_write_is_found(look: Look) -> None:
    assert look(WORKER)[""].level == "problem"
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now(), detail={"rss": 128 << 20})
    assert look(WORKER)[""].seen.endswith("128 MB.")
