"""The real models process over its real socket."""

import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.runtime.llama import LlamaEmbedder
from tests.integration.models.conftest import REPOSITORY, ModelsProcess
from workers.client import ModelsClient
from workers.model_server import MAX_CONNECTIONS

pytestmark = pytest.mark.model

CHUNK = "The family met on Sunday to talk about the trip to Lisbon, the garden and the heating. " * 18


def test_vectors_through_the_socket_are_those_of_the_model(process: ModelsProcess, embedder: LlamaEmbedder) -> None:
    texts = ["备用钥匙在哪里", "the printer", "", "\ud800"]
    far, near = (one.embed_documents(texts, timeout=60) for one in (process.client, embedder))
    assert np.sum(far * near, axis=1).min() > 0.999
    assert process.client.identity() == embedder.identity()


def test_the_status_counts_what_was_done(process: ModelsProcess) -> None:
    process.client.embed_documents(["one", "two"], timeout=60)
    process.client.embed_query("three", timeout=60)
    status = process.client.status()
    assert (status.state, status.embedded, status.dims) == ("ready", 3, 384)
    assert status.tokens > 6
    assert status.pid == process.running.pid


def test_full_contexts_do_not_keep_the_memory_of_their_logits(process: ModelsProcess) -> None:
    process.client.embed_documents([CHUNK * 2], timeout=60)
    process.client.embed_query(CHUNK * 2, timeout=60)
    assert process.client.status().rss_bytes < 450_000_000


def test_only_the_owner_may_open_the_socket(process: ModelsProcess) -> None:
    assert stat.S_IMODE(process.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(process.socket.parent.stat().st_mode) == 0o700


def test_bulk_is_given_up_at_its_deadline_and_no_longer_worked_on(process: ModelsProcess) -> None:
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="timed out"):
        process.client.embed_documents([f"{number} {CHUNK}" for number in range(60)], timeout=0.5)
    assert time.monotonic() - begin < 0.7
    time.sleep(2.0)
    tokens = process.client.status().tokens
    time.sleep(1.0)
    assert process.client.status().tokens == tokens


def test_queries_are_answered_while_several_clients_embed_in_bulk(process: ModelsProcess) -> None:
    stop = threading.Event()

    def bulk(name: str) -> None:
        client = ModelsClient(process.socket)
        while not stop.is_set():
            client.embed_documents([f"{name} {CHUNK}"], timeout=60)
        client.close()

    threads = [threading.Thread(target=bulk, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    waits = []
    for number in range(30):
        begin = time.monotonic()
        process.client.embed_query(f"question {number}", timeout=5)
        waits.append(time.monotonic() - begin)
    stop.set()
    for thread in threads:
        thread.join()
    assert np.median(waits) < 0.15


def test_a_killed_process_is_noticed_and_a_new_one_found(process: ModelsProcess) -> None:
    process.client.embed_query("before", timeout=5)
    process.kill()
    with pytest.raises(EmbedderUnavailable, match="not running"):
        process.client.embed_query("meanwhile", timeout=5)
    assert process.socket.exists()
    process.start()
    process.wait_for("ready")
    assert process.client.embed_query("after", timeout=5).shape == (384,)


def test_a_kill_in_mid_chunk_is_an_error_and_no_hang(process: ModelsProcess) -> None:
    threading.Timer(0.5, process.kill).start()
    begin = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match=r"not running|ended"):
        process.client.embed_documents([f"{number} {CHUNK}" for number in range(60)], timeout=30)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_mid_chunk_ends_the_process_at_once(process: ModelsProcess, number: signal.Signals) -> None:
    def ask() -> None:
        with pytest.raises(EmbedderUnavailable):
            process.client.embed_documents([f"{number} {CHUNK}" for number in range(60)], timeout=30)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.5)
    assert process.end(number) < 2
    asking.join()
    assert process.running.returncode == 0
    assert not process.socket.exists()


def test_a_second_process_on_the_same_folder_is_refused_and_the_first_lives(process: ModelsProcess) -> None:
    command = [sys.executable, "-m", "workers.process", "--local-dir", str(process.data_dir)]
    second = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=30)
    assert second.returncode == 1
    assert "another models process is serving" in second.stderr
    assert process.client.status().state == "ready"


@pytest.mark.parametrize("threads", ["0", "-1", "many", "4096", ""])
def test_a_wrong_number_of_threads_is_refused_with_its_name(
    tmp_path: Path, start_process: Callable[..., ModelsProcess], threads: str
) -> None:
    process = start_process(tmp_path, MEMORY_MODEL_THREADS=threads)
    assert process.running.wait(30) == 1
    assert "MEMORY_MODEL_THREADS must be a number from 1 to" in process.running.stderr.read()  # type: ignore[union-attr]


def test_a_client_that_talks_nonsense_is_told_so_and_hurts_nobody(process: ModelsProcess) -> None:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(process.socket))
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        stranger.settimeout(5)
        assert b"bad request" in stranger.recv(4096)
    assert process.client.embed_query("still there", timeout=5).shape == (384,)


def test_clients_beyond_the_limit_are_told_that_it_is_busy(process: ModelsProcess) -> None:
    crowd = []
    for _ in range(MAX_CONNECTIONS):
        crowd.append(socket.socket(socket.AF_UNIX))
        crowd[-1].connect(str(process.socket))
    late = ModelsClient(process.socket)
    with pytest.raises(EmbedderUnavailable, match="too many clients"):
        for _ in range(3):
            late.embed_query("hello", timeout=5)
            late.close()
    for member in crowd:
        member.close()
    time.sleep(0.2)
    assert late.embed_query("hello again", timeout=5).shape == (384,)
