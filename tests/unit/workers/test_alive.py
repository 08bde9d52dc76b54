"""Signs of life: who leaves them, and how long ago the last one was."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from celery.signals import after_task_publish, heartbeat_sent

from memory_appliance import clock
from memory_appliance import settings as options_of_the_clock
from workers.alive import say_alive, silent_for
from workers.app import app


def test_silence_is_counted_from_the_last_sign(tmp_path: Path) -> None:
    assert silent_for(tmp_path, "worker") is None
    say_alive(tmp_path, "worker")
    then = time.time() - 40
    os.utime(tmp_path / "alive" / "worker", (then, then))
    assert 40 <= (silent_for(tmp_path, "worker") or 0) < 45
    say_alive(tmp_path, "worker")
    assert (silent_for(tmp_path, "worker") or 0) < 5


def test_a_clock_that_was_set_back_makes_no_negative_silence(tmp_path: Path) -> None:
    say_alive(tmp_path, "beat")
    future = time.time() + 3600
    os.utime(tmp_path / "alive" / "beat", (future, future))
    assert silent_for(tmp_path, "beat") == 0


def test_the_clock_lives_when_the_broker_has_taken_a_tick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options_of_the_clock, "MEMORY_LOCAL_DIR", tmp_path)
    after_task_publish.send(sender=clock.app)
    assert silent_for(tmp_path / "run", "beat") is not None


def test_a_worker_lives_while_its_loop_runs(tmp_path: Path, settings: Any) -> None:
    settings.MEMORY_DATA_DIR = settings.MEMORY_LOCAL_DIR = tmp_path
    heartbeat_sent.send(sender=app)
    assert silent_for(tmp_path / "run", "worker") is not None
