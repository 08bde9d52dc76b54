"""A start warns of what it cannot repair."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.models import WorkerHeartbeat
from memory_appliance.boot import warn

pytestmark = pytest.mark.django_db


def told(monkeypatch: Any, *, disk: int = 0) -> list[str]:
    monkeypatch.setattr(warn, "LOW_DISK_BYTES", disk)
    return list(warn.warnings())


def test_all_is_well(data_dir: Path, monkeypatch: Any) -> None:
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now())
    assert told(monkeypatch) == []


def test_a_clock_that_went_back(data_dir: Path, monkeypatch: Any) -> None:
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now() + timedelta(days=1))
    assert "timedatectl" in told(monkeypatch)[0]


def test_a_disk_that_fills_up(data_dir: Path, monkeypatch: Any) -> None:
    assert "Make room" in told(monkeypatch, disk=10**18)[0]
