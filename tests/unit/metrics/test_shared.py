"""Totals of several processes in one folder: added up, kept after a process has gone, never counted twice."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memory_appliance.metrics.shared import GONE_SECONDS, PAST, SharedTotals, Totals


def total(number: float, outcome: str = "ok") -> Totals:
    return {("memory_searches_total", (("outcome", outcome),)): number}


@pytest.fixture
def shared(tmp_path: Path) -> SharedTotals:
    return SharedTotals(tmp_path / "metrics")


def grow_old(path: Path) -> None:
    long_ago = time.time() - 2 * GONE_SECONDS
    os.utime(path, (long_ago, long_ago))


def test_processes_are_added_up_label_by_label(shared: SharedTotals) -> None:
    shared.write("web-1", total(3) | total(1, "empty"))
    shared.write("web-2", total(4))
    assert shared.read() == total(7) | total(1, "empty")


def test_a_process_replaces_what_it_wrote_before(shared: SharedTotals) -> None:
    shared.write("web-1", total(3))
    shared.write("web-1", total(5))
    assert shared.read() == total(5)
    assert [path.name for path in shared.folder.iterdir()] == ["web-1.json"]


def test_what_dead_processes_counted_stays_in_one_file(shared: SharedTotals) -> None:
    for number in range(20):
        shared.write(f"web-{number}", total(1))
        grow_old(shared.folder / f"web-{number}.json")
    shared.write("web-alive", total(1))
    shared.add_up_the_dead()
    shared.add_up_the_dead()
    assert shared.read() == total(21)
    assert sorted(path.name for path in shared.folder.glob("*.json")) == [PAST, "web-alive.json"]


def test_a_crash_while_the_dead_are_added_up_counts_nothing_twice(
    shared: SharedTotals, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.write("web-1", total(3))
    grow_old(shared.folder / "web-1.json")
    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", _power_cut)
        with pytest.raises(KeyboardInterrupt):
            shared.add_up_the_dead()
    assert (shared.folder / "web-1.json").exists() and shared.read() == total(3)
    shared.add_up_the_dead()
    assert not (shared.folder / "web-1.json").exists() and shared.read() == total(3)


def _power_cut(path: Path, missing_ok: bool = False) -> None:
    if path.suffix == ".part":
        return
    raise KeyboardInterrupt


def test_a_damaged_file_costs_its_own_counts_alone(shared: SharedTotals) -> None:
    shared.write("web-1", total(3))
    for number, text in enumerate(('{"samples": [[', "[]", "null", '{"samples": [[1]], "added": []}', "\x00" * 64)):
        (shared.folder / f"damaged-{number}.json").write_text(text)
    assert shared.read() == total(3)


def test_a_folder_that_is_not_there_has_counted_nothing(shared: SharedTotals) -> None:
    assert shared.read() == {}
