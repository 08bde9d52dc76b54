"""ModelShelf: models that are loaded when somebody asks for them and put away when nobody has for a while."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from search.errors import EmbedderUnavailable, ModelUnavailable
from search.runtime.bundled import ensure_bundled
from search.runtime.deadline import Deadline
from search.runtime.llama import LlamaEmbedder
from search.runtime.llama_generator import LlamaGenerator
from search.runtime.llama_reranker import LlamaReranker
from search.runtime.presets import BUNDLED, Role
from search.runtime.registry import ready_to_load
from search.runtime.resident import resident_bytes
from search.sentences import sentence

log = logging.getLogger(__name__)

IDLE_SECONDS = 600.0
EMBEDDER_IDLE_FACTOR = 144
"""An embedder stays a day: a search does not wait the seconds that loading it again takes."""
FAILED_SECONDS = 30.0
"""For so long a model that could not be loaded is not tried again."""

Loaded = LlamaEmbedder | LlamaReranker | LlamaGenerator
L = TypeVar("L", bound=Loaded)


@dataclass(slots=True)
class _Place:
    """One model on the shelf. `users` and the times are guarded by the shelf's lock."""

    role: Role
    name: str
    future: Future[Loaded]
    users: int = 0
    used_at: float = field(default_factory=time.monotonic)
    memory_bytes: int = 0


class ModelShelf:
    """One model is loaded at a time; whoever waits for it waits no longer than its deadline, and loading goes on."""

    def __init__(self, models_dir: Path, *, threads: int = 1, idle_seconds: float = IDLE_SECONDS) -> None:
        self._models_dir = models_dir
        self._threads = threads
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._places: dict[tuple[Role, str], _Place] = {}
        self._loading = ThreadPoolExecutor(1, "shelf")

    def start(self) -> None:
        threading.Thread(target=self._tidy_for_ever, name="shelf-tidy", daemon=True).start()

    @contextmanager
    def embedder(self, name: str, deadline: Deadline) -> Iterator[LlamaEmbedder]:
        with self._using("embed", name, LlamaEmbedder, deadline) as model:
            yield model

    @contextmanager
    def reranker(self, name: str, deadline: Deadline) -> Iterator[LlamaReranker]:
        with self._using("rerank", name, LlamaReranker, deadline) as model:
            yield model

    @contextmanager
    def generator(self, name: str, deadline: Deadline) -> Iterator[LlamaGenerator]:
        with self._using("generate", name, LlamaGenerator, deadline) as model:
            yield model

    def put_away_idle(self) -> None:
        """Free every model that nobody uses or has used lately, and forget old failures."""
        now = time.monotonic()
        for place in self._take_out(lambda place: now - place.used_at >= self._patience(place)):
            log.info("%s is put away", place.name)
            if place.future.exception() is None:
                place.future.result().close()

    def described(self) -> list[dict[str, Any]]:
        """What the status shows of every model on the shelf."""
        now = time.monotonic()
        with self._lock:
            return [
                {
                    "model": place.name,
                    "role": place.role,
                    "state": _state(place.future),
                    "memory_bytes": place.memory_bytes,
                    "idle_seconds": 0.0 if place.users else round(now - place.used_at, 1),
                    "detail": _reason(place.future),
                }
                for place in self._places.values()
            ]

    @contextmanager
    def _using(self, role: Role, name: str, kind: type[L], deadline: Deadline) -> Iterator[L]:
        place = self._place(role, name)
        try:
            model = place.future.result(timeout=deadline.left())
            if not isinstance(model, kind):
                raise EmbedderUnavailable(sentence("{name} cannot {role}", name=name, role=role))
            yield model
        except FutureTimeout as error:
            raise EmbedderUnavailable(
                sentence("the model to {role} is still being loaded", role=role),
                hint=sentence("Ask again in a few seconds."),
            ) from error
        finally:
            with self._lock:
                place.users -= 1
                place.used_at = time.monotonic()

    def _place(self, role: Role, name: str) -> _Place:
        """The model's place, with this user counted, so that nobody puts it away."""
        with self._lock:
            place = self._places.get((role, name))
            if place is None:
                place = _Place(role, name, Future())
                place.future = self._loading.submit(self._load, place)
                self._places[role, name] = place
            place.users += 1
            return place

    def _load(self, place: _Place) -> Loaded:
        found = ready_to_load(place.name, place.role, self._models_dir)
        preset, path = found.preset, found.path
        if preset is BUNDLED:
            path = ensure_bundled(self._models_dir)
        before, began = resident_bytes(), time.monotonic()
        kinds: dict[Role, Callable[..., Loaded]] = {
            "embed": LlamaEmbedder,
            "rerank": LlamaReranker,
            "generate": LlamaGenerator,
        }
        try:
            model = kinds[place.role](path, preset, threads=self._threads)
        except OSError as error:
            raise EmbedderUnavailable(
                sentence("cannot read the model {path}: {strerror}", path=path, strerror=error.strerror)
            ) from error
        place.memory_bytes = max(0, resident_bytes() - before)
        place.name = preset.id
        log.info("%s is ready after %.1f s", preset.id, time.monotonic() - began)
        return model

    def _take_out(self, wanted: Callable[[_Place], bool]) -> list[_Place]:
        with self._lock:
            gone = [
                key for key, place in self._places.items() if place.users == 0 and place.future.done() and wanted(place)
            ]
            return [self._places.pop(key) for key in gone]

    def _patience(self, place: _Place) -> float:
        if place.future.exception() is not None:
            return min(FAILED_SECONDS, self._idle_seconds)
        return self._idle_seconds * (EMBEDDER_IDLE_FACTOR if place.role == "embed" else 1)

    def _tidy_for_ever(self) -> None:
        while True:
            time.sleep(min(10.0, self._idle_seconds))
            self.put_away_idle()


def _state(future: Future[Loaded]) -> str:
    if not future.done():
        return "loading"
    return "ready" if future.exception() is None else "failed"


def _reason(future: Future[Loaded]) -> str:
    error = future.exception() if future.done() else None
    return error.message if isinstance(error, ModelUnavailable) else "" if error is None else type(error).__name__
