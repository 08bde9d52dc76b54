"""Two starts at once: one prepares, the other waits for it and says so."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from memory_appliance.boot import lock
from memory_appliance.boot.lock import starting_alone
from memory_appliance.boot.say import LaunchFailed

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_second_start_waits_for_the_first(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(lock, "_TOLD_AFTER_SECONDS", 0.1)
    order: list[str] = []

    def second() -> None:
        with starting_alone(tmp_path / "run"):
            order.append("second")
        connection.close()

    with starting_alone(tmp_path / "run"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.5)
        order.append("first")
    thread.join(5)
    assert order == ["first", "second"]
    assert "waiting for it" in capsys.readouterr().out


def test_a_start_that_hangs_is_not_waited_for_for_ever(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lock, "WAIT_SECONDS", 0.1)
    with starting_alone(tmp_path), pytest.raises(LaunchFailed, match="another start"), starting_alone(tmp_path):
        pass
