"""A clock that leaps does not take away in one night what was to be kept for a year."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.core.audit import record
from agents.models import AuditEvent
from agents.servers.nightly import may_forget
from tests import cast
from workers.tasks import tidy as task


@pytest.fixture(autouse=True)
def only_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "_maintain_indexes", lambda: None)


def nights_pass(monkeypatch: pytest.MonkeyPatch, **time: float) -> None:
    now = timezone.now() + timedelta(**time)
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture
def noted(db: None, data_dir: object) -> None:
    task.tidy()
    AuditEvent.objects.all().delete()
    record(actor=cast.OWNER, action="agent.changed", target="al")


def test_after_a_leap_nothing_is_forgotten_on_the_first_night(noted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    nights_pass(monkeypatch, days=4000)
    task.tidy()
    assert AuditEvent.objects.count() == 1


def test_a_clock_that_was_right_after_all_forgets_on_the_second(noted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    nights_pass(monkeypatch, days=4000)
    task.tidy()
    nights_pass(monkeypatch, days=1)
    task.tidy()
    assert AuditEvent.objects.count() == 0


def test_a_leap_that_was_corrected_costs_nothing(noted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    nights_pass(monkeypatch, days=4000)
    task.tidy()
    nights_pass(monkeypatch, days=-3999)
    task.tidy()
    task.tidy()
    assert AuditEvent.objects.count() == 1


@pytest.mark.parametrize(("days", "may"), [(0.9, True), (1.0, True), (2.9, True), (3.1, False), (-1, False)])
def test_ordinary_nights_forget(db: None, monkeypatch: pytest.MonkeyPatch, days: float, may: bool) -> None:
    assert may_forget("tidy")
    nights_pass(monkeypatch, days=days)
    assert may_forget("tidy") is may
