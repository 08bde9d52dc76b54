"""A server that lost its power starts again by itself, says what it found, and goes on."""

from __future__ import annotations

from pathlib import Path

from tests.integration.stack.server import Server, free_port, until


def test_after_a_power_cut_everything_is_looked_after(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", free_port()).start(MEMORY_EMBED_MODEL="none")
    try:
        workspace = server.agent("al")
        (workspace / "MEMORY.md").write_text("# House\n\n- The spare key is under the blue pot.\n")
        server.done(server.update("al"))
        server.kill("")
        index = server.data_dir / "indexes" / "al.sqlite"
        index.with_name("al.sqlite-wal").unlink(missing_ok=True)
        index.write_bytes(index.read_bytes()[:4096] + b"\xee" * 8192)  # what a disk may leave of it

        server.process.wait(30)
        server.start(MEMORY_EMBED_MODEL="none")
        assert "did not end in order" in server.said()
        assert "the index of al is damaged" in server.said()
        until("the index is made again", lambda: server.finds("al", "spare key", "MEMORY.md"), 60)
    finally:
        server.stop()
