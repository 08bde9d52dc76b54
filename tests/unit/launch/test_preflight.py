"""The checks before the start: each refusal is one line that says what to do."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from memory_appliance.boot.say import LaunchFailed
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.preflight import check_port, check_ports, lock_instance, own_folders, prepare_folders
from memory_appliance.settings.options import Options
from tests.integration.stack.server import free_port


def layout(folder: Path, *, host: str = "127.0.0.1", port: int = 0) -> Layout:
    return Layout(local_dir=folder, host=host, port=port)


def test_a_taken_port_names_another_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(LaunchFailed, match=f"port {taken} is already in use") as failure:
            check_port(layout(Path("/srv"), port=taken))
    assert f"MEMORY_PORT={taken % 65535 + 1} make run" in failure.value.hint


def test_the_chat_proxy_has_a_free_port_of_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(LaunchFailed, match="already in use") as failure:
            check_ports(layout(Path("/srv"), port=free_port()), taken)
    assert "MEMORY_CHAT_PROXY_PORT=" in failure.value.hint
    with pytest.raises(LaunchFailed, match=f"cannot both listen on port {taken}"):
        check_ports(layout(Path("/srv"), port=taken), taken)
    check_ports(layout(Path("/srv"), port=taken), None)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "localhost"])
def test_a_free_port_passes(host: str) -> None:
    check_port(layout(Path("/srv"), host=host))


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(LaunchFailed, match=r"MEMORY_HOST|cannot listen"):
        check_port(layout(Path("/srv"), host=host))


def test_a_file_in_place_of_the_data_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(LaunchFailed, match="cannot be written") as failure:
        prepare_folders(layout(tmp_path / "data"), tmp_path / "data")
    assert "is not a folder; set MEMORY_DATA_DIR" in failure.value.hint


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(LaunchFailed, match="Permission denied"):
        prepare_folders(layout(tmp_path / "data"), tmp_path / "data")


def test_a_second_instance_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    mine = [tmp_path / "data", tmp_path / "local"]
    for folder in mine:
        folder.mkdir()
    with lock_instance(*mine), pytest.raises(LaunchFailed, match=rf"already runs on .* \(process {os.getpid()}\)"):
        lock_instance(mine[1])
    lock_instance(*mine).close()


def test_servers_on_postgresql_share_a_data_folder_and_no_other(tmp_path: Path) -> None:
    data, local = tmp_path / "data", tmp_path / "local"
    alone = Options(data_dir=data, local_dir=local)
    assert own_folders(alone) == {data, local} and own_folders(Options(data_dir=data)) == {data}
    address = SecretStr("postgres://u:p@h/d")
    assert own_folders(alone.model_copy(update={"database_url": address})) == {local}


def test_run_and_logs_are_private(tmp_path: Path) -> None:
    here = layout(tmp_path / "data")
    prepare_folders(here, tmp_path / "data")
    assert [folder.stat().st_mode & 0o777 for folder in (here.run_dir, here.log_dir)] == [0o700, 0o700]


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:1"), ("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1")],
)
def test_the_address_to_call_is_never_a_wildcard(host: str, url: str) -> None:
    assert layout(Path("/srv"), host=host, port=1).url == url
