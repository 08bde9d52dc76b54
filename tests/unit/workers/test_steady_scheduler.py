"""The schedule goes on when the clock is set back, and does not hurry when it is set forward."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import Celery

from memory_appliance.steady_scheduler import SteadyScheduler


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 6, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(SteadyScheduler, "apply_entry", lambda self, entry, producer=None: names.append(entry.name))
    return names


@pytest.fixture
def scheduler(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    app = Celery("test", broker="memory://", set_as_current=False)
    app.conf.update(timezone="UTC", beat_schedule={"sweep": {"task": "sweep", "schedule": 2.0}})
    app.now = Clock()  # type: ignore[method-assign]
    scheduler = SteadyScheduler(app=app)
    scheduler.setup_schedule()
    return scheduler


def run(scheduler: Any, seconds: int) -> None:
    """As beat does, with its sleeps passing at once."""
    for _ in range(seconds):
        scheduler.app.now.now += timedelta(seconds=1)
        while scheduler.tick() == 0:
            pass


@pytest.mark.parametrize("jump", [timedelta(0), timedelta(seconds=-3), timedelta(days=-1), timedelta(days=-4000)])
def test_it_goes_on_at_its_pace(scheduler: Any, sent: list[str], jump: timedelta) -> None:
    run(scheduler, 20)
    before = len(sent)
    scheduler.app.now.now += jump
    run(scheduler, 20)
    assert 8 <= before <= 10 and 8 <= len(sent) - before <= 11


def test_a_clock_that_is_set_forward_gives_one_tick_and_not_a_thousand(scheduler: Any, sent: list[str]) -> None:
    run(scheduler, 20)
    before = len(sent)
    scheduler.app.now.now += timedelta(days=30)
    run(scheduler, 20)
    assert 8 <= len(sent) - before <= 12
