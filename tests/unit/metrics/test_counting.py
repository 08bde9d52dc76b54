"""A process writes its totals down, says once that it cannot, and goes on when it can again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_appliance.metrics.counting import Publisher
from memory_appliance.metrics.instruments import Instruments
from memory_appliance.metrics.shared import SharedTotals, totals_of


def test_totals_are_written_and_a_quiet_process_only_touches_them(tmp_path: Path, counts: Instruments) -> None:
    publisher = Publisher(SharedTotals(tmp_path), "web")
    counts.noted(duplicate=False)
    publisher.publish()
    (written,) = tmp_path.glob("web-*.json")
    inode = written.stat().st_ino
    publisher.publish()
    assert written.stat().st_ino == inode
    assert SharedTotals(tmp_path).read() == totals_of(counts.registry)


def test_a_folder_that_cannot_be_written_is_told_once_and_waited_for(
    tmp_path: Path, counts: Instruments, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "metrics"
    folder.write_text("in the way")
    publisher = Publisher(SharedTotals(folder), "web")
    publisher.publish()
    publisher.publish()
    assert len(caplog.records) == 1
    folder.unlink()
    publisher.publish()
    assert len(list(folder.glob("web-*.json"))) == 1


def test_a_file_that_somebody_removed_is_written_again(tmp_path: Path, counts: Instruments) -> None:
    publisher = Publisher(SharedTotals(tmp_path), "web")
    publisher.publish()
    next(tmp_path.glob("web-*.json")).unlink()
    publisher.publish()
    publisher.publish()
    assert len(list(tmp_path.glob("web-*.json"))) == 1


def test_a_management_command_loads_no_metrics() -> None:
    code = "import django, sys; django.setup(); print('prometheus_client' in sys.modules)"
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "False"
