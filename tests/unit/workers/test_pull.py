"""A download as a run: done, gone on with, refused with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.jobs.runs import request_pull
from agents.models import Run
from search.runtime import download
from tests.unit.providers.hub import Hub, hub_with
from workers.tasks.pull import pull

NAME = "hf:me/models/mine.gguf"


@pytest.fixture
def hub(settings: Any) -> Iterator[Hub]:
    with hub_with(b"GGUF" + bytes(3_000_000)) as served:
        settings.MEMORY_HUB_URL = served.url
        yield served


def pulled(subject: str) -> Run:
    run = request_pull(subject=subject, reason="test")
    pull(run.pk)
    run.refresh_from_db()
    return run


def test_a_download_ends_with_the_file_and_its_progress(db: None, data_dir: Path, hub: Hub) -> None:
    run = pulled(NAME)
    assert (run.state, run.result) == ("done", {"file": "mine.gguf", "bytes": 3_000_004})
    assert (run.done, run.total, run.unit) == (3, 3, "MB")
    assert (data_dir / "models" / "mine.gguf").stat().st_size == 3_000_004


def test_what_is_there_is_not_asked_for_again(db: None, data_dir: Path, hub: Hub) -> None:
    pulled(NAME)
    assert pulled(NAME).state == "done"
    assert len(hub.asked) == 1


def test_a_refused_download_fails_with_the_reason_and_is_not_tried_for_ever(db: None, data_dir: Path, hub: Hub) -> None:
    hub.statuses = [404]
    run = pulled(NAME)
    assert run.state == "failed"
    assert "answered 404" in run.error and "Check the name" in run.error


def test_a_full_disk_fails_it_with_the_numbers(
    db: None, data_dir: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SPARE_BYTES", 10**18)
    run = pulled(NAME)
    assert run.state == "failed" and "MB are free" in run.error
