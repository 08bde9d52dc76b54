"""What a server pays to follow another: its first index of an agent, and each note that the other server writes.

    DATABASE_URL=postgres://… python -m bench.following [--chunks 10000] [--notes 40] --data FOLDER

`bench.servers` calls it with a PostgreSQL of its own. Two local folders over one data folder stand for the two
servers. Vectors are synthetic; texts that are embedded are counted. A note of the other server is written, indexed
and embedded there first; then this one follows both changes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

NOTE = "- On {number} the {word} door was painted and its key moved to hook {number}.\n"


def prepare(data: Path) -> None:
    os.environ |= {"MEMORY_DATA_DIR": str(data), "MEMORY_LOCAL_DIR": str(data / "server-1")}
    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--notes", type=int, default=40)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    prepare(options.data)

    from django.conf import settings
    from django.db import connection

    from agents.core.actors import Actor
    from agents.core.paths import index_path
    from agents.indexes.following import catch_up
    from agents.indexes.specs import embedding_spec
    from agents.models import Agent, Change
    from agents.registry.agents import create_agent
    from agents.servers.generations import note
    from bench.engine import quiet
    from bench.request import CHARS_PER_CHUNK, CHUNKS_PER_FILE
    from bench.synthetic import Notes, SyntheticEmbedder, write_workspace
    from search.index.chunks import count_chunks, count_pending
    from search.index.embed import embed_pending
    from search.index.pool import reading
    from search.index.update import update_index
    from search.runtime.protocols import Vectors

    class Counting(SyntheticEmbedder):
        texts = 0

        def embed_documents(self, texts: Sequence[str], *, timeout: float) -> Vectors:
            self.texts += len(texts)
            return super().embed_documents(texts, timeout=timeout)

    embedder = Counting()

    def index() -> None:
        spec = embedding_spec(agent)
        update_index(spec, identity=embedder.identity(), progress=quiet, cancelled=lambda: False)
        embed_pending(spec, embedder, budget_seconds=3_600, progress=quiet, cancelled=lambda: False)

    agent = create_agent(actor=Actor("bench"), slug="bench")
    root = Path(agent.workspace)
    write_workspace(root, options.chunks // CHUNKS_PER_FILE, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes(5))
    report("server 1: index made", options.chunks, timed(index), embedder)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('agents_embedding')")
        size = cursor.fetchone()[0] / options.chunks
    print(f"common vectors: {size / 1000:.1f} KB a chunk in PostgreSQL, without those of tokens")

    def follow() -> None:
        assert catch_up(Agent.objects.get(slug="bench"), embedder.identity, seconds=600.0)

    settings.MEMORY_LOCAL_DIR = options.data / "server-2"
    embedder.texts = 0
    spent = timed(follow)
    with reading(index_path("bench")) as held:
        chunks, with_vector = count_chunks(held)
    report("server 2: first index", chunks, spent, embedder)
    assert chunks == with_vector, f"{chunks - with_vector} chunks wait for a vector"

    log, each = root / "memory" / "2026-01-01.md", []
    for number in range(options.notes):
        settings.MEMORY_LOCAL_DIR = options.data / "server-1"
        with log.open("a") as file:
            file.write(NOTE.format(number=number, word=["north", "south", "east", "west"][number % 4]))
        note(agent.pk, ["memory/2026-01-01.md"])
        follow()
        index()
        note(agent.pk, what=Change.What.VECTORS)
        settings.MEMORY_LOCAL_DIR = options.data / "server-2"
        each.append(timed(follow))
    with reading(index_path("bench")) as held:
        assert count_pending(held) == 0, "the vectors of the notes were to come along"
    took, cpu = (1000 * median(part) for part in zip(*each, strict=True))
    print(f"server 2: a note of server 1 is in its index after {took:.1f} ms, {cpu:.1f} ms CPU   n={options.notes}")


def report(what: str, chunks: int, spent: tuple[float, float], embedder: Any) -> None:
    print(
        f"{what}, {chunks} chunks: {spent[0]:.1f} s, {spent[1]:.1f} s CPU, {embedder.texts} texts embedded", flush=True
    )


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds of the clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
