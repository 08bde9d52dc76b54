"""ModelLoader: brings the embedder up in the background and always knows how far it is."""

from __future__ import annotations

import importlib
import json
import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from search.documents.chunker import CHUNKER_VERSION
from search.errors import EmbedderUnavailable
from search.runtime.bundled import ensure_bundled
from search.runtime.fingerprint import local_identity
from search.runtime.llama import LlamaEmbedder
from search.runtime.llama_native import INSTALL_HINT, is_installed
from search.runtime.presets import BUNDLED
from search.sentences import sentence
from search.spec import EmbeddingIdentity
from workers.model_status import ModelStateName

log = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 2.0
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Building:
    """The runtime is not installed yet."""

    name: ClassVar[ModelStateName] = "building"
    detail: str
    hint: str = INSTALL_HINT


@dataclass(frozen=True, slots=True)
class Loading:
    """The model file is being checked, converted or loaded."""

    name: ClassVar[ModelStateName] = "loading"
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """The embedder answers."""

    name: ClassVar[ModelStateName] = "ready"
    embedder: LlamaEmbedder
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not work; it is tried again by itself."""

    name: ClassVar[ModelStateName] = "failed"
    detail: str
    hint: str


ModelState = Building | Loading | Ready | Failed


class ModelLoader:
    """Loads the bundled embedder as soon as its runtime is there, and tries again whenever that fails.

    `setup_file` is what the installation writes of its progress (`state`, `step`, `detail`); its words are passed on.
    """

    def __init__(self, models_dir: Path, *, setup_file: Path | None = None, threads: int = 1) -> None:
        self._models_dir = models_dir
        self._setup_file = setup_file
        self._threads = threads
        self._stop = threading.Event()
        self.identity: EmbeddingIdentity = local_identity(BUNDLED, chunker_version=CHUNKER_VERSION)
        self.state: ModelState = Loading("starting")

    def start(self) -> None:
        threading.Thread(target=self._run, name="model-loader", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        try:
            self._until_ready()
        finally:
            if not isinstance(self.state, Ready) and not self._stop.is_set():
                self.state = Failed(
                    sentence("the loader stopped unexpectedly"),
                    sentence("See the log of the models process; restart it."),
                )

    def _until_ready(self) -> None:
        pause = LOOK_AGAIN_SECONDS
        while True:
            self.state = self._attempt()
            if isinstance(self.state, Ready):
                return
            # Looking for the runtime costs nothing; an attempt to load costs seconds, so those become rarer.
            pause = min(2 * pause, _LONGEST_PAUSE) if is_installed() else LOOK_AGAIN_SECONDS
            if self._stop.wait(pause):
                return

    def _attempt(self) -> ModelState:
        importlib.invalidate_caches()  # the runtime may have been installed since the last look
        setup = _state_of_setup(self._read_setup())
        if not is_installed():
            return setup or Building(sentence("the local model runtime is not installed yet"))
        try:
            return Ready(self._load())
        except EmbedderUnavailable as error:
            log.warning("the model is not ready: %s", error)
            return setup or Failed(error.message, error.hint)

    def _load(self) -> LlamaEmbedder:
        path = ensure_bundled(self._models_dir, report=self._report)
        self._report(sentence("loading the model"))
        embedder = LlamaEmbedder(path, BUNDLED, threads=self._threads)
        log.info("%s is ready", BUNDLED.id)
        return embedder

    def _report(self, step: str) -> None:
        log.info(step)
        self.state = Loading(step)

    def _read_setup(self) -> dict[str, Any]:
        """What the installation wrote last; nothing when it wrote nothing or is writing this moment."""
        if self._setup_file is None:
            return {}
        try:
            setup = json.loads(self._setup_file.read_text())
        except (OSError, ValueError):
            return {}
        return setup if isinstance(setup, dict) else {}


def _state_of_setup(setup: dict[str, Any]) -> ModelState | None:
    """A state when the installation is under way or has failed; else None."""
    words = ": ".join(str(setup[key]) for key in ("step", "detail") if setup.get(key))
    match setup.get("state"):
        case "running":
            return Building(words or sentence("installing the local model runtime"))
        case "failed":
            return Failed(words or sentence("the local model runtime could not be installed"), INSTALL_HINT)
        case _:
            return None
