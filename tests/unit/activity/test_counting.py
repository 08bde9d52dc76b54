"""Activity: each turn and write is counted once, in its hour, for its agent and for all; charts read those rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from agents.memory.activity import BOUNDS, activity, count_activity, percentile, prune_activity
from agents.models import ActivityHour, Agent, RecallEvent
from agents.workspace import append
from memory_appliance.web.charts import bars, line, top_of
from tests import cast

NOW = datetime(2026, 11, 30, 15, 20, tzinfo=UTC)


def turn(agent: Agent, status: str, at: datetime, elapsed_ms: float = 30.0) -> None:
    event = RecallEvent.objects.create(agent=agent, status=status, reason="found", elapsed_ms=elapsed_ms)
    RecallEvent.objects.filter(pk=event.pk).update(at=at)


def test_each_turn_is_counted_once_in_its_hour(al: Agent, al_2: Agent) -> None:
    for status, minutes in (("ok", 5), ("ok", 30), ("denied", 70), ("unavailable", 70), ("timeout_partial", 200)):
        turn(al, status, NOW - timedelta(minutes=minutes))
    turn(al_2, "no_relevant_memory", NOW - timedelta(minutes=5), 400.0)
    assert count_activity() == 6 and count_activity() == 0
    hours = {row.at.hour: row for row in ActivityHour.objects.filter(agent=al)}
    assert {hour: (row.recalled, row.denied, row.failed) for hour, row in hours.items()} == {
        15: (1, 0, 0), 14: (1, 1, 1), 12: (1, 0, 0),
    }  # fmt: skip
    turn(al, "ok", NOW - timedelta(minutes=4))
    count_activity()
    assert ActivityHour.objects.get(agent=al, at__hour=15).recalled == 2
    both = ActivityHour.objects.get(agent=None, at__day=30, at__hour=15)
    assert (both.recalled, both.nothing, sum(both.took)) == (2, 1, 3)


def test_a_turn_of_this_minute_waits_for_the_next_time(al: Agent) -> None:
    turn(al, "ok", timezone.now())
    assert count_activity() == 0
    RecallEvent.objects.update(at=timezone.now() - timedelta(minutes=2))
    assert count_activity() == 1


def test_writes_are_counted_and_old_hours_go(al: Agent) -> None:
    append(agent=al, actor=cast.OWNER, path="MEMORY.md", text="The ladder is lent.", origin="agent")
    al.writes.update(at=timezone.now() - timedelta(days=101))
    count_activity()
    assert ActivityHour.objects.get(agent=al).writes == 1
    assert prune_activity() == 2 and not ActivityHour.objects.filter(writes__gt=0).exists()


def test_days_sum_up_hours_and_agents_see_their_own(al: Agent, al_2: Agent) -> None:
    turn(al, "ok", NOW)
    turn(al, "skipped", NOW - timedelta(hours=3))
    turn(al_2, "ok", NOW - timedelta(days=1))
    count_activity()
    since = NOW - timedelta(days=7)
    own = activity(Q(agent=al), since=since, days=True, zone=UTC)
    assert [(span.at.day, span.turns) for span in own] == [(30, 2)]
    everything = activity(None, since=since, days=True, zone=UTC)
    assert [(span.at.day, span.turns) for span in everything if span.turns] == [(29, 1), (30, 2)]


@pytest.mark.parametrize(
    ("took", "share", "expected"),
    [({2: 10}, 0.5, 15.0), ({0: 1, 7: 1}, 0.95, 100 + 50 * 0.9), ({}, 0.5, None), ({15: 4}, 0.95, 30_000.0)],
)
def test_percentiles_come_from_the_spans(took: dict[int, int], share: float, expected: float | None) -> None:
    found = percentile([took.get(place, 0) for place in range(len(BOUNDS) + 1)], share)
    assert found == (pytest.approx(expected) if expected is not None else None)


@pytest.mark.parametrize(("highest", "top"), [(0, 1), (1, 1), (7, 8), (11, 20), (83, 100), (450, 500), (0.3, 0.4)])
def test_the_scale_ends_at_a_round_number(highest: float, top: float) -> None:
    assert top_of(highest) == pytest.approx(top)


def test_shapes_stay_in_their_box() -> None:
    drawn = bars([[("ok", 3), ("failed", 1)], [("ok", 0), ("failed", 0)], [("ok", 4)]], 4)
    assert [rect.kind for rect in drawn] == ["ok", "failed", "ok"]
    assert all(rect.y >= 0 and rect.y + rect.height <= 128 and rect.x + rect.width <= 280 for rect in drawn)
    assert line("p50", [1.0, None, 3.0, 9.0], 4).path == "M0.0 96.0 M186.7 32.0 L280.0 0.0"
