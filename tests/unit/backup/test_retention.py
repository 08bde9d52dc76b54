"""to_remove(): which backups go; pure, on made-up dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from agents.backup.retention import KEEP_BEFORE_MIGRATION, Keep, to_remove
from agents.backup.values import FORMAT, Backup, Reason

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def backup(moment: datetime, reason: Reason = "schedule") -> Backup:
    name = moment.strftime("%Y-%m-%dT%H%M%SZ")
    return Backup(
        name=name, made_at=moment, reason=reason, seconds=1, files=1, size=1, added=1, agents=(), with_secrets=False,
        with_indexes=False, control_only=reason == "before-migration", version="", migrations={}, data_dir="",
        left_out=(), listing=(), format=FORMAT, path=Path(name),
    )  # fmt: skip


def kept(backups: list[Backup], keep: Keep) -> list[str]:
    gone = {one.name for one in to_remove(backups, keep)}
    return [one.made_at.strftime("%m-%d %H") for one in backups if one.name not in gone]


def test_the_last_of_each_day_stays() -> None:
    twice_a_day = [backup(NOON - timedelta(hours=12 * number)) for number in range(10)]
    assert kept(twice_a_day, Keep(3, 0, 0)) == ["11-30 12", "11-29 12", "11-28 12"]


def test_weeks_and_months_go_further_back() -> None:
    daily = [backup(NOON - timedelta(days=number)) for number in range(100)]
    assert kept(daily, Keep(2, 3, 4)) == [
        "11-30 12", "11-29 12", "11-22 12", "10-31 12", "09-30 12", "08-31 12",
    ]  # fmt: skip


def test_a_server_that_slept_keeps_its_old_days() -> None:
    rare = [backup(NOON - timedelta(days=30 * number)) for number in range(5)]
    assert len(kept(rare, Keep(5, 0, 0))) == 5


def test_what_was_asked_for_by_hand_stays() -> None:
    backups = [backup(NOON), *(backup(NOON - timedelta(days=number), "request") for number in range(1, 40))]
    assert len(kept(backups, Keep(0, 0, 0))) == 40


def test_the_newest_stays_whatever_the_options_say() -> None:
    assert kept([backup(NOON), backup(NOON - timedelta(days=1))], Keep(0, 0, 0)) == ["11-30 12"]


def test_few_copies_from_before_migrations_stay() -> None:
    copies = [backup(NOON - timedelta(days=number), "before-migration") for number in range(9)]
    assert len(kept(copies, Keep(0, 0, 0))) == KEEP_BEFORE_MIGRATION
