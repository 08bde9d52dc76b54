"""A models server in this process, over its real socket, with tiny models in its folder."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from workers.client import ModelsClient
from workers.model_loader import ModelLoader
from workers.model_server import ModelServer
from workers.model_shelf import ModelShelf


@dataclass(frozen=True)
class Served:
    """`folder` is the models folder; `shelf` may be tidied by a test."""

    folder: Path
    socket: Path
    shelf: ModelShelf

    def client(self, model: str = "") -> ModelsClient:
        return ModelsClient(self.socket, model=model)


@pytest.fixture
def served() -> Iterator[Served]:
    """The bundled model is not loaded: these tests are about the others."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("the models extra is not installed: uv sync --frozen --extra models")
    root = Path(tempfile.mkdtemp(prefix="ma-"))
    folder = root / "models"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "models.sock"))
        listener.listen()
        shelf = ModelShelf(folder, idle_seconds=0.2)
        ModelServer(listener, ModelLoader(folder), shelf).start()
        yield Served(folder, root / "models.sock", shelf)
        listener.shutdown(socket.SHUT_RDWR)
    shutil.rmtree(root)
