"""An agent whose folder holds what a household writes, and what somebody else may have smuggled in."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent
from tests import cast
from tests.unit.web.files.browser import person

GARDEN = "---\ntitle: Garden\n---\n# Garden\n\nPlant tulips in October.\nSee [the pond](pond.md#L2).\n"


@pytest.fixture
def garden(al: Agent) -> Path:
    """The workspace of `al`, indexed, with two notes on one subject and three days."""
    cast.write_files(al, {"memory/topics/garden.md": GARDEN, "memory/topics/pond.md": "# Pond\nThe heron likes koi.\n"})
    cast.write_files(al, {f"memory/2026-10-0{day}.md": f"- day {day}\n" for day in (1, 2, 3)})
    cast.index(al)
    return Path(al.workspace)


@pytest.fixture
def viewer(garden: Path) -> Client:
    return person("view")


@pytest.fixture
def editor(garden: Path) -> Client:
    return person("edit")
