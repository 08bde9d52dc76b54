"""The real model, converted once and kept in the repository's cache, and the real models process."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from workers.client import ModelsClient
from workers.model_status import ModelStatus

REPOSITORY = Path(__file__).resolve().parents[3]
CACHE = REPOSITORY / ".cache" / "models"


@pytest.fixture(scope="session")
def model_path() -> Path:
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("the models extra is not installed: uv sync --frozen --extra models")
    return ensure_bundled(CACHE)


@pytest.fixture(scope="session")
def embedder(model_path: Path) -> LlamaEmbedder:
    return LlamaEmbedder(model_path, BUNDLED)


class ModelsProcess:
    """`python -m workers.process` on a data folder of its own."""

    def __init__(self, data_dir: Path, *, python: tuple[str, ...] = (sys.executable,), **environment: str) -> None:
        self.data_dir = data_dir
        self.socket = data_dir / "run" / "models.sock"
        self.client = ModelsClient(self.socket)
        self._command = [*python, "-m", "workers.process", "--local-dir", str(data_dir)]
        self._environment = {**os.environ, **environment}
        self.start()

    def start(self) -> None:
        self.running = subprocess.Popen(
            self._command, cwd=REPOSITORY, env=self._environment, stderr=subprocess.PIPE, text=True
        )

    def wait_for(self, state: str, detail: str = "", *, seconds: float = 60) -> ModelStatus:
        """Its status as soon as it has this state, with `detail` among its words."""
        end = time.monotonic() + seconds
        while (status := self.client.status()).state != state or detail not in status.detail:
            assert time.monotonic() < end, f"still {status} instead of {state} {detail}"
            time.sleep(0.05)
        return status

    def kill(self) -> None:
        self.running.kill()
        self.running.wait(10)

    def end(self, number: signal.Signals = signal.SIGTERM) -> float:
        """Seconds it took to end on a signal."""
        begin = time.monotonic()
        self.running.send_signal(number)
        self.running.wait(30)
        return time.monotonic() - begin


@pytest.fixture
def data_dir_with_model(model_path: Path) -> Iterator[Path]:
    """A data folder with a short path, whose models folder holds the converted model already."""
    folder = Path(tempfile.mkdtemp(prefix="ma-"))
    (folder / "models").mkdir()
    for file in (model_path, model_path.with_name(model_path.name + ".ok")):
        shutil.copy2(file, folder / "models")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def start_process() -> Iterator[Callable[..., ModelsProcess]]:
    processes: list[ModelsProcess] = []

    def start(*arguments: object, **options: object) -> ModelsProcess:
        processes.append(ModelsProcess(*arguments, **options))  # type: ignore[arg-type]
        return processes[-1]

    yield start
    for process in processes:
        process.client.close()
        process.kill()
        process.running.stderr.close()  # type: ignore[union-attr]


@pytest.fixture
def process(data_dir_with_model: Path, start_process: Callable[..., ModelsProcess]) -> ModelsProcess:
    """A models process that is ready."""
    started = start_process(data_dir_with_model)
    started.wait_for("ready")
    return started
