"""Callers that come at a rate, whether or not the ones before them have been answered: what saturation means."""

from __future__ import annotations

import http.client
import json
import queue
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.integration.stack.server import KEY

CONNECTIONS = 500
PATIENCE_SECONDS = 60.0
SHARES = {"search": 0.80, "recall": 0.12, "notes": 0.08}
NEW_WORDING = 0.2
"""Share of searches whose words nobody has asked before, so that the model has to embed them."""


@dataclass(frozen=True, slots=True)
class Call:
    due: float
    verb: str
    path: str
    body: bytes


@dataclass
class Measured:
    """`took` in seconds from the moment a call was due, by verb; answers by what they were."""

    rate: float
    seconds: float
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    answers: Counter[str] = field(default_factory=Counter)
    without_retry_after: int = 0

    def row(self) -> str:
        done = sum(len(values) for values in self.took.values())
        refused = self.answers["429"] + self.answers["503"]
        errors = sum(self.answers.values()) - self.answers["2xx"] - refused
        spreads = " | ".join(_spread(self.took[verb]) for verb in SHARES)
        return f"| {self.rate:.0f} | {done / self.seconds:.0f} | {spreads} | {refused} | {errors} |"


HEAD = (
    "| asked /s | answered /s | search p50 / p95 / p99 ms | recall | note | refused (429, 503) | errors |\n"
    "|--:|--:|--:|--:|--:|--:|--:|"
)


def plan(rate: float, seconds: float, agents: Sequence[str], questions: Sequence[str], seed: int) -> list[Call]:
    """Calls at random moments, `rate` a second on average."""
    choose = random.Random(seed)
    calls, due = list[Call](), 0.0
    while True:
        due += choose.expovariate(rate)
        if due > seconds:
            return calls
        verb = choose.choices(list(SHARES), list(SHARES.values()))[0]
        agent, question = choose.choice(agents), choose.choice(questions)
        new = choose.random() < NEW_WORDING
        body: dict[str, Any] = {
            "search": {"query": f"{question} {choose.randrange(10**6)}" if new else question},
            "recall": {"message": f"do you remember {question}?", "mode": "always"},
            "notes": {"text": f"{question} was said at {due:.6f}."},
        }[verb]
        calls.append(Call(due, verb, f"/api/v1/agents/{agent}/{verb}", json.dumps(body).encode()))


def run(port: int, calls: Sequence[Call], rate: float, seconds: float) -> Measured:
    measured = Measured(rate, seconds)
    waiting: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
    lock = threading.Lock()
    began = time.monotonic() + 0.5

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        while (call := waiting.get()) is not None:
            what, retry_after = _ask(connection, call)
            took = time.monotonic() - began - call.due
            with lock:
                measured.answers[what] += 1
                measured.without_retry_after += what in ("429", "503") and not retry_after
                if what == "2xx":
                    measured.took[call.verb].append(took)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for call in calls:
        time.sleep(max(0.0, began + call.due - time.monotonic()))
        waiting.put(call)
    for _ in threads:
        waiting.put(None)
    for thread in threads:
        thread.join()
    return measured


def _ask(connection: http.client.HTTPConnection, call: Call) -> tuple[str, bool]:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    try:
        connection.request("POST", call.path, call.body, headers)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return type(error).__name__, False
    return ("2xx" if answer.status < 300 else str(answer.status)), answer.headers.get("Retry-After") is not None


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "–"
    return " / ".join(f"{value * 1000:.0f}" for value in np.percentile(values, [50, 95, 99]))
