"""Searches over HTTP against the whole appliance: latency, throughput, and latency while an index is being built.

    python -m bench.http [--chunks 640 10000 100000] [--clients 8]

Queries are embedded by the real model. The notes are synthetic, and so are their vectors, which are stored under the
real model's identity: embedding 100,000 chunks for real would take a day.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from statistics import median

import httpx
import numpy as np

from bench.engine import CHARS_PER_CHUNK, CHUNKS_PER_FILE, quiet
from bench.stack import Stack, running_stack
from bench.synthetic import Notes, SyntheticEmbedder, write_workspace
from search.evaluation.machine import describe_machine
from search.index.embed import embed_pending
from search.runtime.own_queries import QUERIES
from search.spec import EmbeddingIdentity, IndexSpec

ROUNDS = 200
KNOWN = QUERIES // 2
"""Different questions: fewer than are remembered for an agent, or each would be forgotten before it comes again."""


class AsRealModel(SyntheticEmbedder):
    """Synthetic vectors that say they are the real model's."""

    def __init__(self, identity: EmbeddingIdentity) -> None:
        super().__init__()
        self._identity = identity

    def identity(self) -> EmbeddingIdentity:
        return self._identity


def real_identity() -> EmbeddingIdentity:
    from search.documents.chunker import CHUNKER_VERSION
    from search.runtime.fingerprint import local_identity
    from search.runtime.presets import BUNDLED

    return local_identity(BUNDLED, chunker_version=CHUNKER_VERSION)


def spread(values: list[float]) -> str:
    return f"p50 {median(values):7.1f}  p95 {np.percentile(values, 95):7.1f}  max {max(values):7.1f} ms"


def make_agent(stack: Stack, slug: str, chunks: int) -> list[str]:
    """An agent of about `chunks` chunks, indexed by the worker, vectors put in; answers questions of eight words."""
    workspace = stack.data / "workspaces" / slug
    questions = write_workspace(
        workspace, max(1, chunks // CHUNKS_PER_FILE), CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes(len(slug))
    )
    stack.client.post("/api/v1/agents", json={"slug": slug}).raise_for_status()
    stack.client.post(f"/api/v1/agents/{slug}/update").raise_for_status()
    wait_for(lambda: status(stack, slug)["files"] >= chunks // CHUNKS_PER_FILE)
    spec = IndexSpec(slug, stack.data / "indexes" / f"{slug}.sqlite", ())
    while status(stack, slug)["pending"]:
        embed_pending(spec, AsRealModel(real_identity()), budget_seconds=3_600, progress=quiet, cancelled=lambda: False)
    return questions


def status(stack: Stack, slug: str) -> dict[str, int]:
    answer = stack.client.get(f"/api/v1/agents/{slug}/status")
    answer.raise_for_status()
    return dict(answer.json())


def wait_for(condition: Callable[[], bool], seconds: float = 900) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("the stack did not come to rest in time")
        time.sleep(0.5)


def ask(client: httpx.Client, slug: str, query: str) -> float:
    """Wall milliseconds of one search; anything but a full hybrid answer ends the measurement."""
    started = time.perf_counter()
    answer = client.post(f"/api/v1/agents/{slug}/search", json={"query": query})
    took = (time.perf_counter() - started) * 1000
    body = answer.json()
    if answer.status_code != 200 or body["mode"] != "hybrid":
        raise SystemExit(f"search failed: {answer.status_code} {body}")
    return took


def remember(stack: Stack, slug: str, questions: list[str]) -> None:
    """Ask until every web process has the vectors: each answers some of the calls and remembers for itself."""
    for question in questions * 6:
        ask(stack.client, slug, question)


def latency(stack: Stack, slug: str, questions: list[str]) -> None:
    """Each question once in a new wording, so that its embedding is computed; then again, from what is remembered."""
    for name, suffix in (("query embedded", " {n}"), ("vector cached", "")):
        remember(stack, slug, questions)
        before = stack.cpu()
        took = [ask(stack.client, slug, questions[n % len(questions)] + suffix.format(n=n)) for n in range(ROUNDS)]
        after = stack.cpu()
        cpu = {role: (after[role] - before.get(role, 0)) * 1000 / ROUNDS for role in after}
        parts = "  ".join(f"{role} {cpu[role]:.1f}" for role in ("web", "models") if role in cpu)
        print(f"  {name:16} {spread(took)}   CPU per search: {parts} ms   n={ROUNDS}", flush=True)


def throughput(stack: Stack, slug: str, questions: list[str], clients: int, seconds: float = 10) -> None:
    """`clients` at once, vectors cached; errors are counted, not hidden."""
    counts, errors = [0] * clients, []
    stop_at = time.monotonic() + seconds

    def work(number: int) -> None:
        with httpx.Client(base_url=stack.client.base_url, headers=stack.client.headers, timeout=30) as client:
            while time.monotonic() < stop_at:
                answer = client.post(
                    f"/api/v1/agents/{slug}/search", json={"query": questions[counts[number] % len(questions)]}
                )
                if answer.status_code != 200:
                    errors.append(answer.status_code)
                counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"  {clients} clients        {sum(counts) / seconds:7.0f} searches/s   errors {len(errors)}", flush=True)


def under_load(stack: Stack, slug: str, questions: list[str]) -> None:
    """Searches of one agent while another's 2,000 notes are indexed and embedded for real."""
    quiet_times = [ask(stack.client, slug, f"{questions[n % len(questions)]} q{n}") for n in range(ROUNDS)]
    write_workspace(stack.data / "workspaces" / "builder", 200, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes(99))
    stack.client.post("/api/v1/agents", json={"slug": "builder"}).raise_for_status()
    stack.client.post("/api/v1/agents/builder/update").raise_for_status()
    time.sleep(1)
    busy = [ask(stack.client, slug, f"{questions[n % len(questions)]} b{n}") for n in range(ROUNDS)]
    state = status(stack, "builder")
    print(f"  quiet            {spread(quiet_times)}")
    print(f"  while building   {spread(busy)}   (builder: {state['embedded']} embedded, {state['pending']} waiting)")


def memory(stack: Stack, when: str) -> None:
    each = (f"{p.role} {p.rss / 1e6:.0f} ({p.private / 1e6:.0f})" for p in stack.processes())
    print(f"memory {when}, resident (private): {'  '.join(each)} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[640, 10_000, 100_000])
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    print(describe_machine())
    with running_stack() as stack:
        memory(stack, "at rest")
        for chunks in options.chunks:
            slug = f"bench-{chunks}"
            questions = make_agent(stack, slug, chunks)[:KNOWN]
            print(f"{status(stack, slug)['chunks']:,} chunks over HTTP")
            latency(stack, slug, questions)
            throughput(stack, slug, questions, options.clients)
            if chunks == 10_000:
                under_load(stack, slug, questions)
        memory(stack, "under load")


if __name__ == "__main__":
    main()
