"""Runs of agent `al`, on a real control database and with a broker that is not there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.jobs.runs import request_run
from agents.models import Agent, Run


@pytest.fixture
def new_run(al: Agent) -> Callable[[str], Run]:
    return lambda kind: request_run(agent=al, kind=kind, reason="test")
