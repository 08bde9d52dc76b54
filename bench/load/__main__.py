"""Searches, recalls and notes of many agents at rising rates, to saturation and past it. Loopback only.

    python -m bench.load [--agents 50] [--chunks 200000] [--rates 10 20 40 80 160] [--seconds 20]

Notes and vectors are synthetic, queries are embedded by the real model; the callers run on the same cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from bench.load.callers import HEAD, NEW_WORDING, SHARES, plan, run
from bench.load.fleet import build, slugs
from search.evaluation.machine import describe_machine
from tests.integration.stack.server import Server, free_port


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--rates", type=float, nargs="+", default=[10, 20, 40, 80, 160])
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory(prefix="memory-load-") as folder:
        server = Server(Path(folder) / "data", free_port())
        began = time.monotonic()
        try:
            questions, chunks = build(server, options.agents, options.chunks // options.agents)
            built = time.monotonic() - began
            print(f"{options.agents} agents, {chunks * options.agents:,} chunks, ready after {built:.0f} s")
            shares = ", ".join(f"{share:.0%} {verb}" for verb, share in SHARES.items())
            print(f"{shares}; {NEW_WORDING:.0%} of the searches in new words; {options.seconds:.0f} s each\n\n{HEAD}")
            for number, rate in enumerate(options.rates):
                calls = plan(rate, options.seconds, slugs(options.agents), questions, number)
                measured = run(server.port, calls, rate, options.seconds)
                print(measured.row() + f" load {os.getloadavg()[0]:.0f}", flush=True)
                if measured.without_retry_after or set(measured.answers) - {"2xx", "429", "503"}:
                    print(f"  {dict(measured.answers)}, without Retry-After: {measured.without_retry_after}")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
