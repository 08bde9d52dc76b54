"""Where sockets lie: short enough for the system, and this user's alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.sockets import LONGEST_PATH, SocketDirNotPrivate, make_socket_dir, socket_dir


def test_a_short_data_folder_keeps_its_sockets_in_run(tmp_path: Path) -> None:
    assert socket_dir(Path("/srv/memory")) == Path("/srv/memory/run")


def test_a_long_data_folder_gets_a_short_folder_of_its_own() -> None:
    first, second = (socket_dir(Path("/srv") / ("x" * 120) / name) for name in "ab")
    assert first != second
    assert len(str(first / "models.sock")) <= LONGEST_PATH


def test_multi_byte_names_count_in_bytes() -> None:
    assert socket_dir(Path("/srv") / ("记" * 40)).parent == Path("/tmp")


def test_the_place_does_not_depend_on_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path("/srv") / ("x" * 120)
    before = socket_dir(data)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/0")
    monkeypatch.setenv("TMPDIR", "/var/tmp")
    assert socket_dir(data) == before


def test_the_folder_is_made_private(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)
    assert make_socket_dir(tmp_path).stat().st_mode & 0o777 == 0o700


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SocketDirNotPrivate, match="not a folder of this user"):
        make_socket_dir(tmp_path)
