"""At the end of a job the pages know what the index holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import IndexSnapshot, Run
from search.errors import IndexBusy
from tests import cast
from workers.door import HandBack, work_on
from workers.lease import Lease

NewRun = Callable[[str], Run]


def writes(outcome: Exception | None) -> Callable[[Run, Lease], dict[str, Any]]:
    """A job that indexes one more file, and then ends in this way."""

    def job(run: Run, lease: Lease) -> dict[str, Any]:
        cast.write_files(run.index_agent, {"memory/2026-07-01.md": "- Bread.\n"})
        cast.index(run.index_agent)
        if outcome is not None:
            raise outcome
        return {}

    return job


@pytest.mark.parametrize("outcome", [None, HandBack()], ids=["done", "handed back"])
def test_what_a_job_wrote_is_in_the_snapshot(new_run: NewRun, outcome: Exception | None) -> None:
    run = new_run("update")
    work_on(run.pk, "update", writes(outcome))
    assert IndexSnapshot.objects.get(agent=run.index_agent).files == 2


def test_a_job_that_only_waits_opens_no_index(new_run: NewRun) -> None:
    run = new_run("update")
    work_on(run.pk, "update", writes(IndexBusy("Busy.")))
    assert not IndexSnapshot.objects.exists()
