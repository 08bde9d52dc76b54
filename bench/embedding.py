"""How fast the bundled model embeds: beside plain llama.cpp, in process and through the socket.

`python -m bench.embedding [--rounds 5] [--threads 1]`; the variants take turns in every round, so that a busy
neighbour hits all of them, and medians are printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from search.evaluation.machine import describe_machine
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Embedder
from workers.client import ModelsClient

CHUNKS_A_ROUND = 6
QUERIES = 100
TIMEOUT = 60.0
_SENTENCES = (
    "The gardener waters the tomatoes every second evening and writes down what the plants need.",
    "周二上午九点暖气师傅来修锅炉，费用大约三百元，保修期两年。",
    "The spare key is under the blue pot on the balcony; the neighbour has the other one.",
    "我们五月三号飞里斯本，酒店已经订好，护照在书房的抽屉里。",
)


def chunk(number: int) -> str:
    """About 400 tokens in two languages, different for every number."""
    return f"Note {number}. " + " ".join(_SENTENCES[(number + step) % 4] for step in range(17))


def plain_llama(path: Path, threads: int) -> Callable[[str], object]:
    """One text at a time through llama-cpp-python's own class, with the same settings."""
    import llama_cpp

    size = BUNDLED.context
    model: Any = llama_cpp.Llama(
        str(path),
        embedding=True,
        n_ctx=size,
        n_batch=size,
        n_ubatch=size,
        n_threads=threads,
        n_threads_batch=threads,
        flash_attn=True,
        verbose=False,
    )
    return lambda text: model.embed(BUNDLED.document_prompt.replace("{text}", text), normalize=True)


@contextmanager
def models_process(threads: int) -> Iterator[ModelsClient]:
    """The real process on a fresh data folder, ready."""
    with tempfile.TemporaryDirectory(prefix="ma-") as folder:
        command = [sys.executable, "-m", "workers.process", "--local-dir", folder]
        environment = {**os.environ, "MEMORY_MODEL_THREADS": str(threads)}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        client = ModelsClient(Path(folder) / "run" / "models.sock")
        try:
            while client.status().state != "ready":
                if process.poll() is not None:
                    raise SystemExit("the models process ended: start it by hand to see why")
                time.sleep(0.1)
            yield client
        finally:
            process.terminate()
            process.wait()


def chunks_per_second(embed: Callable[[str], object], first: int) -> float:
    begin = time.perf_counter()
    for number in range(first, first + CHUNKS_A_ROUND):
        embed(chunk(number))
    return CHUNKS_A_ROUND / (time.perf_counter() - begin)


def query_times(embedder: Embedder, label: str) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds, each query new to every cache."""
    times = []
    for number in range(QUERIES):
        begin = time.perf_counter()
        embedder.embed_query(f"{label} {number}: where is the spare key?", timeout=TIMEOUT)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def query_times_under_bulk(client: ModelsClient) -> tuple[float, float]:
    stop = threading.Event()

    def bulk() -> None:
        number = 0
        while not stop.is_set():
            client.embed_documents([chunk(number)], timeout=TIMEOUT)
            number += 1

    thread = threading.Thread(target=bulk)
    thread.start()
    try:
        return query_times(client, "under bulk")
    finally:
        stop.set()
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    print(describe_machine())
    path = ensure_bundled(Path(".cache/models"))
    here = LlamaEmbedder(path, BUNDLED, threads=options.threads)
    before = here.tokens
    here.embed_documents([chunk(number) for number in range(3)], timeout=TIMEOUT)
    tokens = (here.tokens - before) / 3
    print(f"model     {BUNDLED.id}, {options.threads} thread(s), {tokens:.0f} tokens a chunk, {options.rounds} rounds")
    with models_process(options.threads) as client:
        variants: dict[str, Callable[[str], object]] = {
            "llama.cpp alone": plain_llama(path, options.threads),
            "in process": lambda text: here.embed_documents([text], timeout=TIMEOUT),
            "through the socket": lambda text: client.embed_documents([text], timeout=TIMEOUT),
        }
        rates: dict[str, list[float]] = {name: [] for name in variants}
        for turn in range(options.rounds + 1):
            for name, embed in variants.items():
                rate = chunks_per_second(embed, turn * CHUNKS_A_ROUND)
                if turn:  # the first round warms up
                    rates[name].append(rate)
        alone = statistics.median(rates["llama.cpp alone"])
        for name, found in rates.items():
            rate = statistics.median(found)
            print(
                f"{name:20} {rate:6.2f} chunks/s {rate * tokens:6.0f} tokens/s {rate / alone:6.1%} of llama.cpp alone"
            )
        for name, (median, late) in {
            "query in process": query_times(here, "in process"),
            "query by socket": query_times(client, "by socket"),
            "query under bulk": query_times_under_bulk(client),
        }.items():
            print(f"{name:20} {median:6.1f} ms median {late:6.1f} ms 95th percentile")
        print(f"{'models process':20} {client.status().rss_bytes / 2**20:6.0f} MiB resident")


if __name__ == "__main__":
    main()
