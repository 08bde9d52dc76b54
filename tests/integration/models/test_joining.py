"""The models process runs before its runtime is installed, says what is being done, and joins by itself."""

import json
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from search.errors import EmbedderUnavailable
from tests.integration.models.conftest import REPOSITORY, ModelsProcess

pytestmark = pytest.mark.model

INSTALLED = Path(sysconfig.get_path("purelib"))


@pytest.fixture
def packages(data_dir_with_model: Path) -> Path:
    """What is installed here, without the model runtime: links that a test can complete."""
    folder = data_dir_with_model / "packages"
    folder.mkdir()
    for item in INSTALLED.iterdir():
        if not item.name.startswith("llama_cpp"):
            (folder / item.name).symlink_to(item)
    return folder


@pytest.fixture
def process(data_dir_with_model: Path, packages: Path, start_process: Callable[..., ModelsProcess]) -> ModelsProcess:
    """A models process that sees only `packages`."""
    path = f"{REPOSITORY}:{packages}"
    return start_process(data_dir_with_model, python=(sys.executable, "-S"), PYTHONPATH=path)


def test_without_its_runtime_it_answers_that_it_is_building(process: ModelsProcess) -> None:
    status = process.wait_for("building")
    assert "not installed yet" in status.detail
    with pytest.raises(EmbedderUnavailable, match="still building") as error:
        process.client.embed_query("key", timeout=1)
    assert error.value.hint
    assert process.client.identity().model == status.model == "multilingual-e5-small-q4"


def test_the_words_of_the_installation_are_passed_on(process: ModelsProcess) -> None:
    setup = process.data_dir / "run" / "models-setup.json"
    process.wait_for("building")
    setup.write_text(json.dumps({"state": "running", "step": "compiling llama.cpp", "detail": "12 of 83"}))
    process.wait_for("building", "compiling llama.cpp: 12 of 83", seconds=5)
    setup.write_text(json.dumps({"state": "failed", "step": "compiling llama.cpp", "detail": "no C++ compiler"}))
    process.wait_for("failed", "compiling llama.cpp: no C++ compiler", seconds=5)


def test_it_is_ready_soon_after_its_runtime_has_appeared(process: ModelsProcess, packages: Path) -> None:
    process.wait_for("building")
    (packages / "llama_cpp").symlink_to(INSTALLED / "llama_cpp")
    process.wait_for("ready", seconds=30)
    assert process.client.embed_query("key", timeout=5).shape == (384,)


def test_a_runtime_that_is_half_there_is_tried_again(process: ModelsProcess, packages: Path) -> None:
    process.wait_for("building")
    (packages / "llama_cpp").mkdir()
    (packages / "llama_cpp" / "__init__.py").write_text("from .llama_cpp import *")
    process.wait_for("failed", "cannot be loaded", seconds=10)
    (packages / "llama_cpp" / "__init__.py").unlink()
    (packages / "llama_cpp").rmdir()
    (packages / "llama_cpp").symlink_to(INSTALLED / "llama_cpp")
    process.wait_for("ready", seconds=30)


def test_a_damaged_model_is_made_again_before_it_is_loaded(process: ModelsProcess, packages: Path) -> None:
    process.wait_for("building")
    model = next((process.data_dir / "models").glob("*.gguf"))
    model.write_bytes(model.read_bytes()[:1_000_000])
    (packages / "llama_cpp").symlink_to(INSTALLED / "llama_cpp")
    process.wait_for("ready", seconds=60)
    assert model.stat().st_size > 70_000_000
