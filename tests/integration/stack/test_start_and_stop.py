"""Starting and stopping: everything goes at the end, and a start that cannot work says why in one line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.stack.server import Server, free_port, until


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Server]:
    """A second server, not started yet."""
    server = Server(tmp_path / "data", free_port())
    yield server
    if server.process.poll() is None:
        server.process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_and_no_socket_stay_behind(other: Server, number: signal.Signals) -> None:
    other.start()
    assert len(other.processes()) > 7
    code = other.stop(number)
    assert code == (-signal.SIGKILL if number == signal.SIGKILL else 0)
    until("every process is gone", lambda: not other.processes(), 15)
    assert number == signal.SIGKILL or not other.sockets()


def test_a_second_start_finds_everything_and_prints_no_secret(other: Server) -> None:
    other.start()
    other.agent("kept")
    other.stop()
    other.start()
    assert [agent["slug"] for agent in other.call("GET", "/api/v1/agents")["items"]] == ["kept"]
    assert "password" not in other.said()
    other.stop()


def test_a_taken_port_is_refused(server: Server, other: Server) -> None:
    other.port = server.port
    assert other.launch().wait(60) == 1
    assert f"error: port {server.port} is already in use\n hint: " in other.said()


def test_a_second_server_on_the_same_data_folder_is_refused(server: Server, other: Server) -> None:
    second = Server(server.data_dir, free_port())
    said = server.data_dir.with_suffix(".out").read_text()
    other.process = second.launch()
    assert second.process.wait(60) == 1
    assert "error: another server already runs on" in second.said()
    server.data_dir.with_suffix(".out").write_text(said)
    assert server.health() is not None


def test_a_file_in_place_of_the_data_folder_is_refused(other: Server) -> None:
    other.data_dir.write_text("not a folder")
    assert other.launch().wait(60) == 1
    assert "error: the data folder" in other.said()
    assert "Traceback" not in other.said()


def test_a_wrong_option_is_refused_by_its_name(other: Server) -> None:
    assert other.launch(MEMORY_WATCH="sometimes").wait(60) == 1
    assert "error: MEMORY_WATCH" in other.said()
    assert "Traceback" not in other.said()


def test_a_very_long_data_folder_gets_its_sockets_elsewhere(tmp_path: Path) -> None:
    server = Server(tmp_path / ("long" * 25) / "data", free_port())
    server.data_dir.parent.mkdir()
    server.start()
    assert (server.health() or {})["broker"]["status"] == "ok"
    assert server.stop() == 0
    assert not server.sockets()
