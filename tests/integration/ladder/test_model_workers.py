"""Model jobs over a real broker: shared by two worker processes, dropped when late, refused when too many wait."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import pytest

from search.errors import GeneratorUnavailable, RerankerUnavailable
from search.index.embed import embed_pending
from search.runtime.protocols import Message, Vectors
from tests.engine import WordEmbedder, Workspace, ignore, never
from tests.integration.ladder.conftest import Broker, StartWorker
from tests.integration.stack.server import until
from workers.model_jobs import LONGEST_QUEUE, JobRefused, ModelJobs
from workers.queued_models import QueuedGenerator, QueuedReranker, SharedEmbedder
from workers.queues import BULK, GENERATE, RERANK
from workers.replies import Replies

Workers = list["subprocess.Popen[bytes]"]

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def two_workers(start_worker: StartWorker, jobs: ModelJobs) -> Workers:
    workers = [start_worker(), start_worker()]
    until("two workers say that they live", lambda: len(jobs.offers(BULK)) == 2, 60)
    return workers


class Unhurried(WordEmbedder):
    """As slow as those of the workers."""

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        time.sleep(0.1)
        return super().embed_documents(texts, timeout=timeout)


def sleep(jobs: ModelJobs, seconds: float, *, timeout: float = 20) -> str:
    generator = QueuedGenerator(jobs, "")
    return generator.generate([Message("user", str(seconds))], max_tokens=1, timeout=timeout)


def test_without_a_worker_a_job_is_refused_at_once(jobs: ModelJobs) -> None:
    started = time.monotonic()
    with pytest.raises(RerankerUnavailable, match="no worker"):
        QueuedReranker(jobs, "").rerank("a", ["b"], timeout=20)
    assert time.monotonic() - started < 2


def test_a_reranking_comes_back_in_order(jobs: ModelJobs, two_workers: Workers) -> None:
    scores = QueuedReranker(jobs, "").rerank("red door", ["blue", "red door", "door"], timeout=10)
    assert scores == (0.0, 1.0, 0.5)


def test_two_processes_share_the_jobs(jobs: ModelJobs, two_workers: Workers) -> None:
    pids: list[str] = []
    callers = [threading.Thread(target=lambda: pids.append(sleep(jobs, 1.0))) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(set(pids)) == 2


def test_bulk_embedding_is_shared_and_every_chunk_gets_its_own_vector(
    jobs: ModelJobs, two_workers: Workers, workspace: Workspace
) -> None:
    for number in range(60):
        workspace.write(f"memory/{number}.md", f"word{number} " * 180)
    workspace.update()
    own = Unhurried()
    shared = SharedEmbedder(own, jobs)
    report = embed_pending(
        workspace.spec, shared, budget_seconds=60, progress=ignore, cancelled=never, lanes=shared.lanes()
    )
    assert (shared.lanes(), report.pending) == (3, 0)
    assert len({text.split()[-1] for text in own.seen}) < 60, "the others had their part"
    assert workspace.paths("word7", own, mode="vsearch", min_score=0.0)[0] == "memory/7.md"


def test_vectors_of_another_model_are_not_asked_for(jobs: ModelJobs, two_workers: Workers) -> None:
    assert SharedEmbedder(WordEmbedder("words-2"), jobs).lanes() == 1
    with pytest.raises(JobRefused, match="another model"):
        jobs.run(BULK, {"texts": ["a"], "fingerprint": "words-2"}, timeout=10)


def test_a_late_job_is_dropped_and_costs_its_sender_its_deadline_only(
    broker: Broker, jobs: ModelJobs, two_workers: Workers
) -> None:
    busy = [threading.Thread(target=sleep, args=(jobs, 2.0)) for _ in range(4)]
    for caller in busy:
        caller.start()
    time.sleep(0.3)
    started = time.monotonic()
    with pytest.raises(GeneratorUnavailable, match="500 ms"):
        sleep(jobs, 60, timeout=0.5)
    assert time.monotonic() - started < 1
    for caller in busy:
        caller.join()
    # Had the late one been begun, this one would wait a minute for it.
    assert sleep(jobs, 0, timeout=10)
    assert Replies(broker.url).waiting(GENERATE) == 0


def test_somebody_who_waits_goes_before_bulk(jobs: ModelJobs, two_workers: Workers) -> None:
    body = {"texts": ["slice"], "fingerprint": "words-1"}
    bulk = [threading.Thread(target=jobs.run, args=(BULK, body), kwargs={"timeout": 20}) for _ in range(14)]
    for caller in bulk:
        caller.start()
    started = time.monotonic()
    QueuedReranker(jobs, "").rerank("a", ["a"], timeout=10)
    waited = time.monotonic() - started
    for caller in bulk:
        caller.join()
    assert waited < (time.monotonic() - started)
    assert waited < 1.0


def test_a_flooded_queue_refuses_at_once(jobs: ModelJobs, two_workers: Workers) -> None:
    flood = [threading.Thread(target=_quietly, args=(jobs,)) for _ in range(LONGEST_QUEUE[GENERATE] + 4)]
    # Halted, so that however slow this machine is the workers do not get ahead of the flood.
    for worker in two_workers:
        worker.send_signal(signal.SIGSTOP)
    try:
        for caller in flood:
            caller.start()
            time.sleep(0.05)
        started = time.monotonic()
        with pytest.raises(GeneratorUnavailable, match="wait in the queue"):
            sleep(jobs, 0)
        assert time.monotonic() - started < 0.5
    finally:
        for worker in two_workers:
            worker.send_signal(signal.SIGCONT)
    for caller in flood:
        caller.join()


def _quietly(jobs: ModelJobs) -> None:
    with suppress(GeneratorUnavailable):
        sleep(jobs, 0.1)


def test_a_slice_that_a_stuck_helper_does_not_answer_is_embedded_here(
    jobs: ModelJobs, two_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.queued_models.JOB_SECONDS", 0.5)
    shared = SharedEmbedder(WordEmbedder(), jobs)
    assert shared.lanes() == 3
    for worker in two_workers:
        worker.send_signal(signal.SIGSTOP)
    try:
        shared._free.acquire()
        threading.Timer(1.0, shared._free.release).start()
        assert shared.embed_documents(["a"], timeout=20).shape == (1, 64)
    finally:
        for worker in two_workers:
            worker.send_signal(signal.SIGCONT)


def test_a_broker_that_is_away_refuses_at_once_and_serves_again_when_it_is_back(
    broker: Broker, jobs: ModelJobs, two_workers: Workers
) -> None:
    broker.kill()
    started = time.monotonic()
    with pytest.raises(RerankerUnavailable, match="broker"):
        QueuedReranker(jobs, "").rerank("a", ["a"], timeout=20)
    assert SharedEmbedder(WordEmbedder(), jobs).embed_documents(["a"], timeout=5).shape == (1, 64)
    assert time.monotonic() - started < 5
    broker.start()
    until("a worker is back", lambda: jobs.offers(RERANK), 60)
    assert QueuedReranker(jobs, "").rerank("a", ["a"], timeout=20) == (1.0,)
