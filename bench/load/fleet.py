"""A fleet: many agents with an index of the same size each, made once and copied while no server runs."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from bench.engine import CHARS_PER_CHUNK, CHUNKS_PER_FILE, quiet
from bench.http import AsRealModel, real_identity
from bench.synthetic import Notes, write_workspace
from search.index.driver import open_writer, transaction
from search.index.embed import embed_pending
from search.index.schema import set_meta
from search.spec import IndexSpec
from tests.integration.stack.server import Server, until


def slugs(agents: int) -> list[str]:
    return [f"load-{number:02}" for number in range(agents)]


def build(server: Server, agents: int, chunks_each: int) -> tuple[list[str], int]:
    """Agents with `chunks_each` chunks each; answers questions of eight words, and how many chunks one index has.

    Notes and vectors are synthetic. Every agent has files and an index of its own, with the same content.
    """
    names = slugs(agents)
    server.start()
    for slug in names:
        server.call("POST", "/api/v1/agents", {"slug": slug})
    for slug in names:
        until(f"first update of {slug}", lambda slug=slug: _was_updated(server, slug), 300)
    first = names[0]
    questions = write_workspace(
        _workspace(server, first), chunks_each // CHUNKS_PER_FILE, CHUNKS_PER_FILE * CHARS_PER_CHUNK, Notes(3)
    )
    for _ in range(2):  # the first may have begun before the last file was written
        server.done(server.update(first), 600)
    index = _index(server, first)
    embed_pending(
        IndexSpec(first, index, ()), AsRealModel(real_identity()), budget_seconds=3_600, progress=quiet,
        cancelled=lambda: False,
    )  # fmt: skip
    chunks = int(server.call("GET", f"/api/v1/agents/{first}/status")["chunks"])
    server.stop()
    for slug in names[1:]:
        # With the files' times, by which an update sees that nothing has changed.
        shutil.copytree(_workspace(server, first), _workspace(server, slug), dirs_exist_ok=True)
        for suffix in ("", "-wal"):
            source = Path(f"{index}{suffix}")
            if source.exists():
                shutil.copyfile(source, Path(f"{_index(server, slug)}{suffix}"))
        _make_its_own(_index(server, slug))
    server.start()
    for slug in names:
        until(f"{slug} at rest", lambda slug=slug: _at_rest(server, slug, chunks), 300)
    return questions, chunks


def _make_its_own(index: Path) -> None:
    """A name that no other index has: what is held in memory of an index is held by it."""
    connection = open_writer(index)
    with transaction(connection):
        set_meta(connection, "index_id", uuid.uuid4().hex)
    connection.close()


def _was_updated(server: Server, slug: str) -> bool:
    return bool(server.call("GET", f"/api/v1/agents/{slug}")["last_update"])


def _at_rest(server: Server, slug: str, chunks: int) -> bool:
    status = server.call("GET", f"/api/v1/agents/{slug}/status")
    return bool(status["chunks"] >= chunks and not status["pending"])


def _workspace(server: Server, slug: str) -> Path:
    return server.data_dir / "workspaces" / slug


def _index(server: Server, slug: str) -> Path:
    return server.data_dir / "indexes" / f"{slug}.sqlite"
