"""Recall: the fast lane at 5,000 triggers, the deep lane on questions with known answers, and a stalled model.

    python -m bench.recall [--dataset DIR] [--indexes DIR] [--triggers N] [--chats] [--bars BAR ...]
    python -m bench.recall --http [--turns N]

With a data set (workspaces/ and queries.jsonl, as `manage.py evaluate` takes them) every question is asked of its own
workspace and of every other one, in mode `always` with the bundled model: the share of turns whose sources cover a gold
line, the share asked of a wrong workspace that inject anything, by workspace as well, and the latency of each lane.
--chats puts the labelled chats of `search/flush/dialogues/dev.txt` into every workspace as past conversations; --bars
asks again with other bars. With --http: many turns at once on the whole server, while nothing, the writer or the
models process is stalled.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bench.recall_http import measure
from search.documents.chunker import CHUNKER_VERSION
from search.documents.transcripts import render
from search.errors import EmbedderUnavailable
from search.evaluation.dataset import Dataset, load_dataset
from search.evaluation.machine import describe_machine
from search.evaluation.run import Evaluation
from search.flush.dialogues import FOLDER, read_dialogues
from search.index.embed import embed_pending
from search.index.update import update_index
from search.recall import evidence
from search.recall.gates import GateFacts
from search.recall.outcome import RecallOutcome, Source
from search.recall.triggers import TriggeredEntry, TriggerIndex
from search.recall.turn import Models, Recall, Turn
from search.recall.turns import Turns
from search.runtime.bundled import ensure_bundled
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED
from search.runtime.protocols import Embedder, Vectors
from search.spec import CollectionSpec, EmbeddingIdentity, IndexSpec, SearchRequest

FACTS = GateFacts(
    server_enabled=True,
    agent_enabled=True,
    chat_type="direct",
    chat_ids=frozenset(),
    allowed_chat_types=frozenset({"direct"}),
    allowed_chat_ids=frozenset(),
    denied_chat_ids=frozenset(),
    session_enabled=True,
    scope_allowed=True,
    mode="always",
)
CHINESE = "".join(bytes((0xB0 + row, 0xA1 + cell)).decode("gb2312") for row in range(8) for cell in range(94))


def spread(name: str, took: Sequence[float]) -> str:
    low, high = np.percentile(took, [50, 95])
    return f"  {name:34} p50 {low:8.2f}  p95 {high:8.2f} ms  n={len(took)}"


def fast_lane(triggers: int) -> None:
    """Half of the triggers are words, half Chinese; messages of 200 characters with and without a trigger."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(3, 9))) for _ in range(triggers)]
    phrases = [
        " ".join(rng.choices(words, k=rng.randint(1, 3)))
        if number % 2
        else "".join(rng.choices(CHINESE, k=rng.randint(2, 5)))
        for number in range(triggers)
    ]
    entries = [
        TriggeredEntry(
            Source("MEMORY.md", at, at), f"{phrases[at]} and {' '.join(rng.choices(words, k=12))}", (phrases[at],)
        )
        for at in range(triggers)
    ]
    started = time.perf_counter()
    index = TriggerIndex(entries)
    print(f"fast lane, {len(index):,} triggers, made in {(time.perf_counter() - started) * 1000:.0f} ms")
    took: list[float] = []
    cpu: list[float] = []
    for number in range(1_000):
        said = "".join(rng.choices(CHINESE, k=60)) + " " + " ".join(rng.choices(words, k=20)) + rng.choice(phrases)
        started, used = time.perf_counter(), time.thread_time()
        index.hits(said)
        if number >= 50:
            took.append((time.perf_counter() - started) * 1000)
            cpu.append((time.thread_time() - used) * 1000)
    print(spread("hits(), wall", took))
    print(spread("hits(), CPU", cpu))


def turn(spec: IndexSpec, message: str, timeout_ms: int = 15_000) -> Turn:
    return Turn(spec, "", message, (), SearchRequest("", min_score=0.0, corpus="all"), date(2026, 7, 1), timeout_ms)


def deep_lane(
    dataset: Dataset, indexes: Path, embedder: Embedder, *, chats: Path | None, bars: Sequence[float]
) -> None:
    evaluation = Evaluation(dataset, indexes, embedder)
    evaluation.build(lambda _workspace, _progress: None)
    if chats is not None:
        remember(evaluation, chats, embedder)
    for bar in bars or (evidence.BAR,):
        above = evidence.BAR_NEARNESS_ALONE - evidence.BAR
        evidence.BAR, evidence.BAR_NEARNESS_ALONE = bar, bar + above
        print(f"deep lane on {dataset.name}, mode always, bar {bar}" + (", with past conversations" if chats else ""))
        ask_all(dataset, evaluation, embedder)
    stalled(evaluation.specs[next(iter(dataset.workspaces))], embedder.identity())


def remember(evaluation: Evaluation, folder: Path, embedder: Embedder) -> None:
    """Every workspace has had the same chats, none of which knows anything of the questions."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(read_dialogues(FOLDER / "dev.txt")):
        session = f"agent:bench:telegram:direct:{number}"
        text = render(one.turns, session=session, closed=True, title="Conversation").text
        (folder / f"{number}.md").write_text(text, "utf-8")
    talks = CollectionSpec("chats", folder.resolve(), source="sessions", prefix="chats/")
    for name, spec in evaluation.specs.items():
        evaluation.specs[name] = spec = replace(
            spec, path=folder / f"{name}.sqlite", collections=(*spec.collections, talks)
        )
        update_index(spec, identity=None, progress=lambda _: None, cancelled=lambda: False)
        embed_pending(spec, embedder, budget_seconds=86_400, progress=lambda _: None, cancelled=lambda: False)


def ask_all(dataset: Dataset, evaluation: Evaluation, embedder: Embedder) -> None:
    recall = Recall(Turns(cache_seconds=0))
    covered: dict[str, list[bool]] = {}
    wrong: dict[str, list[bool]] = {}
    injected, negative = [], []
    took: dict[str, list[float]] = {}

    def ask(workspace: str, query: str, facts: GateFacts) -> RecallOutcome:
        started = time.perf_counter()
        answer = recall.turn(facts, turn(evaluation.specs[workspace], query), Models(embedder))
        name = f"{facts.mode}: {answer.lane or 'no'} lane"
        took.setdefault(name, []).append((time.perf_counter() - started) * 1000)
        return answer

    for question in dataset.questions:
        for workspace in dataset.workspaces:
            answer = ask(workspace, question.query, FACTS)
            if workspace != question.workspace:
                wrong.setdefault(workspace, []).append(bool(answer.context))
            elif question.gold:
                injected.append(bool(answer.context))
                covered.setdefault(workspace, []).append(
                    any(
                        gold.covered_by(source.path, source.start_line, source.end_line)
                        for gold in question.gold
                        for source in answer.sources
                    )
                )
            else:
                negative.append(bool(answer.context))
        ask(question.workspace, question.query, replace(FACTS, mode="escalate"))
        ask(question.workspace, question.query, replace(FACTS, mode="off"))
    print(f"  sources cover a gold line          {shares(covered)}")
    print(f"  anything injected                  {np.mean(injected):.3f}")
    if wrong:
        print(f"  … asked of a wrong workspace       {shares(wrong)}")
    if negative:
        print(f"  … asked what memory does not know  {np.mean(negative):.3f}  n={len(negative)}")
    for name in sorted(took):
        print(spread(name, took[name]))


def shares(found: Mapping[str, Sequence[bool]]) -> str:
    """Of all, then of each workspace that was asked."""
    every = [one for some in found.values() for one in some]
    each = ", ".join(f"{name} {np.mean(some):.3f}" for name, some in found.items())
    return f"{np.mean(every):.3f}  n={len(every)}  ({each})"


class Stalled:
    """An embedder that holds every query for as long as it may."""

    def __init__(self, identity: EmbeddingIdentity) -> None:
        self._identity = identity

    def identity(self) -> EmbeddingIdentity:
        return self._identity

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        time.sleep(timeout)
        raise EmbedderUnavailable("stalled")

    def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
        raise EmbedderUnavailable("stalled")


def stalled(spec: IndexSpec, identity: EmbeddingIdentity, turns: int = 200) -> None:
    for timeout_ms in (250, 2_000):
        recall = Recall()
        took: list[float] = []
        answers: list[RecallOutcome] = []

        def ask(number: int, recall: Recall, timeout_ms: int, took: list[float], answers: list[RecallOutcome]) -> None:
            started = time.perf_counter()
            message = f"what did we decide about shelf {number}"
            answers.append(recall.turn(FACTS, turn(spec, message, timeout_ms), Models(Stalled(identity))))
            took.append((time.perf_counter() - started) * 1000)

        threads = [
            threading.Thread(target=ask, args=(number, recall, timeout_ms, took, answers)) for number in range(turns)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        statuses = {status: [a.status for a in answers].count(status) for status in {a.status for a in answers}}
        told = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
        print(f"{turns} turns at once, stalled model, timeout {timeout_ms} ms: slowest {max(took):.0f} ms; {told}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path)
    parser.add_argument("--indexes", type=Path, help="where the indexes are kept between runs")
    parser.add_argument("--chats", action="store_true", help="past conversations in every workspace too")
    parser.add_argument("--bars", type=float, nargs="+", default=[], help="ask with each of these bars")
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    parser.add_argument("--triggers", type=int, default=5_000)
    parser.add_argument("--http", action="store_true", help="only many turns at once over HTTP, with stalled models")
    parser.add_argument("--turns", type=int, default=200)
    options = parser.parse_args()
    print(describe_machine())
    if options.http:
        measure(options.turns)
        return
    fast_lane(options.triggers)
    if options.dataset is None:
        return
    embedder = LlamaEmbedder(ensure_bundled(options.models), BUNDLED, chunker_version=CHUNKER_VERSION)
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
        deep_lane(
            load_dataset(options.dataset),
            options.indexes or Path(folder),
            embedder,
            chats=Path(folder) / "chats" if options.chats else None,
            bars=options.bars,
        )


if __name__ == "__main__":
    main()
