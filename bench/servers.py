"""What it costs to be one of several: a search on PostgreSQL beside one on SQLite, in turn, CPU of the whole request.

    python -m bench.servers [--chunks 10000] [--turns 3] [--rounds 200]

Both serve their own copy of the same notes. PostgreSQL is Debian's, started for the run, and answers on this machine:
the way through a network is not in it. What several servers do to each other: tests/integration/servers.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from search.evaluation.machine import describe_machine
from tests.postgres import Postgres, why_not

ROOT = Path(__file__).resolve().parents[1]


def one_turn(data: Path, url: str, chunks: int, rounds: int) -> float:
    """Median milliseconds of CPU of a search, by bench.request in a process of its own."""
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"DATABASE_URL": url, "MEMORY_LOCAL_DIR": str(data.with_name(f"{data.name}-local"))} if url else {}
    asked = ("--chunks", str(chunks), "--rounds", str(rounds), "--keep", str(data))
    command = [sys.executable, "-m", "bench.request", *asked]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"p50 +([\d.]+)", done.stdout)
    if found is None:
        raise SystemExit(done.stdout + done.stderr)
    return float(found[1])


def following(data: Path, url: str, chunks: int) -> str:
    """What bench.following prints, on a database without agents."""
    command = [sys.executable, "-m", "bench.following", "--chunks", str(chunks), "--data", str(data)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"DATABASE_URL": url}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    if why_not():
        raise SystemExit(why_not())
    print(describe_machine())
    postgres = Postgres.temporary()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-servers-") as folder:
            spent: dict[str, list[float]] = {"SQLite": [], "PostgreSQL": []}
            for _ in range(options.turns):
                for name, url in (("SQLite", ""), ("PostgreSQL", postgres.url)):
                    spent[name].append(one_turn(Path(folder) / name, url, options.chunks, options.rounds))
            print(following(Path(folder) / "following", postgres.url, options.chunks), end="")
    finally:
        postgres.remove()
    for name, turns in spent.items():
        print(f"{name:10}  a search, CPU p50 {'/'.join(f'{turn:.2f}' for turn in turns)} ms")
    print(f"PostgreSQL takes {median(spent['PostgreSQL']) / median(spent['SQLite']):.2f} × the CPU of SQLite")


if __name__ == "__main__":
    main()
