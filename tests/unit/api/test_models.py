"""/models: the registry, and downloads as runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.models import Run
from search.runtime.presets import BUNDLED, PRESETS
from tests.unit.api.conftest import Api, error_of


def test_every_model_says_what_it_is_and_how_to_get_it(as_owner: Api, data_dir: Path) -> None:
    answer = as_owner.get("/models").json()
    assert {item["id"] for item in answer["items"]} == set(PRESETS)
    gemma = next(item for item in answer["items"] if item["id"] == "embeddinggemma-300m-q8")
    assert (gemma["dims"], gemma["installed"], gemma["source"]) == (768, False, "hub")
    assert f"copy it to {data_dir}/models/embeddinggemma-300M-Q8_0.gguf" in gemma["how_to_get"]
    assert [entry["memory_gb"] for entry in answer["sets"]] == [2, 4, 8, 16]


def test_the_model_in_use_says_by_whom(as_owner: Api, data_dir: Path) -> None:
    items = as_owner.get("/models").json()["items"]
    assert next(item for item in items if item["id"] == BUNDLED.id)["used_by"] == ["server (embed)"]


def test_a_file_of_ones_own_is_listed(as_owner: Api, data_dir: Path) -> None:
    (data_dir / "models").mkdir()
    (data_dir / "models" / "mine.gguf").write_bytes(b"GGUF")
    mine = as_owner.get("/models").json()["items"][-1]
    assert (mine["source"], mine["bytes"], mine["role"]) == ("own", 4, None)


def test_a_pull_is_a_run_without_an_agent_and_is_joined(as_owner: Api) -> None:
    first, second = (as_owner.post("/models/pull", {"model": "bge-m3-q8"}) for _ in range(2))
    assert (first.status_code, first.json()["run"]["id"]) == (202, second.json()["run"]["id"])
    run = as_owner.get(f"/runs/{first.json()['run']['id']}").json()
    assert (run["kind"], run["agent"], run["subject"], run["progress"]["unit"]) == ("pull", None, "bge-m3-q8", "MB")


def test_a_pull_can_be_cancelled(as_owner: Api) -> None:
    run = as_owner.post("/models/pull", {"model": "hf:owner/repo/file.gguf"}).json()["run"]
    assert as_owner.post(f"/runs/{run['id']}/cancel").json()["state"] == "cancelled"


@pytest.mark.parametrize(
    "model", ["", "nothing", "hf:owner/file.gguf", "hf:o/r/../../x.gguf", "/etc/passwd", "/x.gguf"]
)
def test_what_cannot_be_pulled_is_refused(as_owner: Api, model: str) -> None:
    refused = as_owner.post("/models/pull", {"model": model})
    assert (refused.status_code, error_of(refused)["field"]) == (422, "model")
    assert not Run.objects.exists()
