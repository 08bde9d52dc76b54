"""Counters that begin at nothing, and a health that remembers nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.core.telemetry import SILENT, set_telemetry
from memory_appliance import health
from memory_appliance.metrics import counted, counting, requests
from memory_appliance.metrics.instruments import Instruments


@pytest.fixture(autouse=True)
def fresh_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "health", health.Remembered(health.look, 0.0))


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Instruments]:
    """This process counts into these."""
    fresh = Instruments()
    for module in (counted, counting, requests):
        monkeypatch.setattr(module, "instruments", fresh)
    set_telemetry(fresh)
    yield fresh
    set_telemetry(SILENT)
