"""Notes over HTTP: time of a write, time until its words are found, and many writers at once.

Against a running server: `MEMORY_KEY=<admin key> python -m bench.notes http://127.0.0.1:8765 [writers]`.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx

ROUNDS = 40


def main(url: str, writers: int) -> None:
    slug = f"bench-{uuid.uuid4().hex[:8]}"
    api = f"{url}/api/v1/agents"
    with httpx.Client(headers={"Authorization": f"Bearer {os.environ['MEMORY_KEY']}"}, timeout=120) as client:
        client.post(api, json={"slug": slug}).raise_for_status()
        try:
            _one_by_one(client, f"{api}/{slug}")
            _together(client, f"{api}/{slug}", writers)
        finally:
            client.delete(f"{api}/{slug}").raise_for_status()


def _one_by_one(client: httpx.Client, agent: str) -> None:
    writing: list[float] = []
    finding: list[float] = []
    for number in range(ROUNDS):
        word = f"marker{uuid.uuid4().hex}"
        started = time.perf_counter()
        noted = client.post(f"{agent}/notes", json={"text": f"Note {number} is about {word}."}).raise_for_status()
        writing.append(time.perf_counter() - started)
        while True:
            found = client.post(f"{agent}/search", json={"query": word, "mode": "search"}).json()["results"]
            if found and noted.json()["path"] == found[0]["path"]:
                break
        finding.append(time.perf_counter() - started)
    _print("write", writing)
    _print("write until found", finding)


def _together(client: httpx.Client, agent: str, writers: int) -> None:
    def write(number: int) -> tuple[float, str]:
        started = time.perf_counter()
        text = f"Writer {number} noted {uuid.uuid4().hex}."
        client.post(f"{agent}/notes", json={"text": text, "target": "memory/together.md"}).raise_for_status()
        return time.perf_counter() - started, text

    with ThreadPoolExecutor(writers) as pool:
        done = list(pool.map(write, range(writers)))
    _print(f"{writers} writers at once", [seconds for seconds, _ in done])
    kept = client.get(f"{agent}/files/content", params={"path": "memory/together.md"}).json()["text"].splitlines()
    lost = sum(f"- {text}" not in kept for _, text in done)
    print(f"{'lost':<24}{lost} of {writers}, doubled {len(kept) - len(set(kept))}")


def _print(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    p95 = ordered[max(0, round(0.95 * len(ordered)) - 1)]
    print(f"{what:<24}p50 {statistics.median(ordered) * 1000:7.1f} ms   p95 {p95 * 1000:7.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50)
