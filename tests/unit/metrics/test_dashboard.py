"""The dashboard and the alerts ask for metrics, labels and values that really exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.jobs.runs import request_run
from agents.models import Agent, Run, WorkerHeartbeat
from memory_appliance.metrics import present
from memory_appliance.metrics.instruments import Instruments
from memory_appliance.metrics.page import registry
from workers.model_status import ModelStatus

OPS = Path(__file__).resolve().parents[3] / "ops"
DASHBOARD: dict[str, Any] = json.loads((OPS / "grafana" / "memory-appliance.json").read_text())
ALERTS = (OPS / "prometheus" / "alerts.yml").read_text()

OF_PROMETHEUS = {"instance", "job", "le"}
SELECTOR = re.compile(r"\b(memory_\w+)(?:\{(.*?)\})?")
BY = re.compile(r"by \((.*?)\)")


class Models:
    def status(self) -> ModelStatus:
        return ModelStatus("ready", models=[{"model": "m", "role": "rerank", "memory_bytes": 1}])


class Broker:
    def waiting(self, queue: str) -> int:
        return 0


@pytest.fixture
def existing(counts: Instruments, al: Agent, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Every sample there can be, with the names of its labels."""
    counts.searched(mode="hybrid", outcome="ok", seconds=1, stages_ms={"rank": 1.0}, degraded=["no_index"])
    counts.recalled(status="ok", reason="found", lane="fast", seconds=1)
    counts.noted(duplicate=False)
    counts.job_ended(kind="update", state="done", seconds=1)
    counts.answered(method="GET", route="mcp", status=200, seconds=1)
    counts.refused("waiting_room")
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now())
    request_run(agent=al, kind=Run.Kind.UPDATE, reason="test")
    monkeypatch.setattr(present, "models_client", Models)
    monkeypatch.setattr(present, "_broker", lambda _: Broker())
    return {sample.name: set(sample.labels) for family in registry.collect() for sample in family.samples}


def expressions() -> list[str]:
    asked = [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", [])]
    alerts = re.findall(r"^ +expr: (.+)$", ALERTS, re.MULTILINE)
    assert len(asked) > 25 and len(alerts) > 5
    return asked + alerts


def test_every_metric_that_is_asked_for_exists_with_the_labels_that_are_asked_for(
    existing: dict[str, set[str]],
) -> None:
    for expression in expressions():
        found = SELECTOR.findall(expression)
        for name, selector in found:
            assert name in existing, expression
            asked = set(re.findall(r"(\w+)\s*(?:=~|!=|=)", selector))
            assert asked <= existing[name] | OF_PROMETHEUS, expression
        grouped = {label.strip() for group in BY.findall(expression) for label in group.split(",")}
        labels = set[str]().union(*(existing[name] for name, _ in found))
        assert grouped <= labels | OF_PROMETHEUS, expression


def test_legends_show_labels_that_are_left_after_grouping(existing: dict[str, set[str]]) -> None:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            groups = BY.findall(target["expr"])
            (name, _), *_ = SELECTOR.findall(target["expr"])
            kept = {label.strip() for label in groups[0].split(",")} if groups else existing[name]
            assert shown <= kept, target


def test_no_metric_is_without_a_place_in_the_dashboard(existing: dict[str, set[str]]) -> None:
    asked = {name.removesuffix("_bucket") for expression in expressions() for name, _ in SELECTOR.findall(expression)}
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in existing}
    assert families - asked <= {"memory_models_tokens_total"}


def test_panels_have_places_of_their_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
