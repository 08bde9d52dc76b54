"""This process is the node `a`; there is a node `b`, and an agent on each: `al` here, `bo` there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pydantic import SecretStr

from agents.models import Agent, Node
from tests.cast import agent_with

SECRET = "unit-secret-0123456789abcdef-0123456789"


@pytest.fixture
def node(db: None, data_dir: Path, settings: Any) -> str:
    settings.MEMORY_NODE_NAME = "a"
    settings.MEMORY_NODE_URL = "http://127.0.0.1:1"
    settings.MEMORY_NODE_SECRET = SecretStr(SECRET)
    settings.MIDDLEWARE = ["memory_appliance.nodes.door.NodeDoor", *settings.MIDDLEWARE]
    for name in "ab":
        Node.objects.create(name=name, url=f"http://127.0.0.1:{'12'['ab'.index(name)]}", seen_at=timezone.now())
    return "a"


@pytest.fixture
def here(node: str) -> Agent:
    return agent_with("al", {"MEMORY.md": "- The boiler is serviced in October.\n"})


@pytest.fixture
def there(node: str) -> Agent:
    agent = agent_with("bo", {"MEMORY.md": "- The boat is blue.\n"})
    Agent.objects.filter(pk=agent.pk).update(node="b")
    agent.refresh_from_db()
    return agent
