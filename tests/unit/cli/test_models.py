"""`manage.py models`: what it prints, what it changes, and how it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from agents.models import Agent, ProviderChoice
from agents.providers.plans import agent_plan, server_plan
from tests.unit.providers.hub import Hub, hub_with


@pytest.fixture
def hub(settings: Any) -> Iterator[Hub]:
    with hub_with(b"GGUF" + bytes(100_000)) as served:
        settings.MEMORY_HUB_URL = served.url
        yield served


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        call_command("models", *arguments)
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_list_names_models_sets_and_users(db: None, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert "used by server (embed)" in out and "home-16" in out and "Models process: down" in out
    assert len(json.loads(run(capsys, "list", "--json")[1])["items"]) > 5


def test_a_model_is_pulled_used_and_removed(
    db: None, data_dir: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "hf:me/models/mine.gguf"
    assert run(capsys, "pull", name)[0] == 0
    assert hub.asked[0][0] == "/real/me/models/resolve/main/mine.gguf"
    assert (data_dir / "models" / "mine.gguf").read_bytes() == hub.content
    ProviderChoice.objects.create(role="rerank", model=f"local:{name}")
    code, _, err = run(capsys, "remove", name)
    assert (code, "in use: server (rerank)" in err) == (1, True)
    assert "Removed mine.gguf" in run(capsys, "remove", name, "--force")[1]
    assert not (data_dir / "models" / "mine.gguf").exists()


def test_a_file_that_is_there_is_not_asked_for_again(
    db: None, data_dir: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert run(capsys, "pull", "hf:me/models/mine.gguf")[0] == 0
    assert len(hub.asked) == 1


def test_a_model_that_is_not_there_cannot_be_used(db: None, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "use", "home-8")
    assert (code, "copy it to" in err, err.count("\n")) == (1, True, 1)
    assert not ProviderChoice.objects.exists()


def test_a_provider_is_used_for_the_server_or_for_one_agent(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "use", "ollama:m")[0] == run(capsys, "use", "none", "--agent", "al")[0] == 0
    al.refresh_from_db()
    assert str(server_plan("embed").first) == "ollama:m"
    assert str(agent_plan("embed", al).first) == "none"
    assert run(capsys, "use", "jina", "--role", "rerank")[0] == 0
    assert server_plan("rerank").first.provider == "jina"


def test_the_bundled_set_brings_everything_back(db: None, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "use", "ollama:m")
    assert run(capsys, "use", "bundled", "--json")[0] == 0
    assert [str(server_plan(role).first) for role in ("embed", "rerank", "generate")] == ["local", "none", "none"]


def test_a_test_that_fails_says_why_and_ends_with_1(
    db: None, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "test", "mistral")
    assert code == 1
    assert "FAILS" in out and "no key is set, see MEMORY_MISTRAL_API_KEY" in out
    assert err.startswith("error: ")


def test_roles_that_nobody_has_are_fine(db: None, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "test", "--role", "rerank")
    assert (code, "results keep their order" in out) == (0, True)


@pytest.mark.parametrize("arguments", [("pull", "nothing"), ("use", "nothing"), ("remove", "/x.gguf"), ("test", "x")])
def test_an_unknown_name_is_one_clear_line(
    db: None, data_dir: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert err.startswith("error: ") and err.count("\n") == 1
