"""A control database that knew nodes: one node's is upgraded, several nodes' is refused with what to do."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE, AFTER = ("agents", "0020_forgettings_that_are_finished"), ("agents", "0021_no_nodes")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def before() -> Any:
    MigrationExecutor(connection).migrate([BEFORE])
    yield MigrationExecutor(connection).loader.project_state([BEFORE]).apps
    MigrationExecutor(connection).migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())


def test_one_node_keeps_its_agents_and_its_downloads_are_asked_for_anew(before: Any) -> None:
    node = before.get_model("agents", "Node").objects.create(name="a", url="http://a")
    before.get_model("agents", "Agent").objects.create(slug="al", workspace="/al", node=node)
    for name in ("a", ""):
        before.get_model("agents", "Run").objects.create(kind="pull", subject="m", node=name)
    MigrationExecutor(connection).migrate([AFTER])
    after = MigrationExecutor(connection).loader.project_state([AFTER]).apps
    assert after.get_model("agents", "Agent").objects.get().slug == "al"
    assert sorted(after.get_model("agents", "Run").objects.values_list("state", flat=True)) == ["cancelled", "queued"]


def test_several_nodes_are_moved_to_one_first(before: Any) -> None:
    nodes = before.get_model("agents", "Node").objects
    for name in ("a", "b"):
        nodes.create(name=name, url=f"http://{name}")
    with pytest.raises(ImproperlyConfigured, match=r"nodes a, b.*docs/scaling\.md"):
        MigrationExecutor(connection).migrate([AFTER])
    nodes.all().delete()
