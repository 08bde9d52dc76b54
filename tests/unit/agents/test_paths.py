"""checked_folder(): real folders inside the roots, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.core.errors import Invalid
from agents.core.paths import checked_folder


def refused(text: str) -> Invalid:
    with pytest.raises(Invalid) as error:
        checked_folder(text, field="workspace")
    assert error.value.field == "workspace" and error.value.hint
    return error.value


@pytest.mark.parametrize(
    "text", ["", "notes", "~/notes", "../x", "C:\\notes", "file:///etc", "/etc\0/x", "/a\nb", "/\ud800"]
)
def test_what_is_no_absolute_folder(text: str) -> None:
    refused(text)


@pytest.mark.parametrize("text", ["/", "/etc", "//etc", "/etc/passwd", "/proc/self"])
def test_folders_outside_the_roots(data_dir: Path, text: str) -> None:
    assert refused(text).code == "path_not_allowed"


def test_a_folder_in_the_data_folder(data_dir: Path) -> None:
    folder = data_dir / "workspaces" / "al"
    assert checked_folder(f"{folder}/./", field="workspace") == folder


def test_dots_do_not_leave_it(data_dir: Path) -> None:
    refused(f"{data_dir}/workspaces/../../x")


def test_a_look_alike_of_a_root_is_outside(data_dir: Path, tmp_path: Path, settings: Any) -> None:
    settings.MEMORY_ALLOWED_ROOTS = (tmp_path / "notes",)
    assert checked_folder(str(tmp_path / "notes" / "a"), field="workspace") == tmp_path / "notes" / "a"
    refused(str(tmp_path / "notes2"))
    refused(f"{data_dir}2")


@pytest.mark.parametrize("name", ["indexes", "run", "models/x", "backups", "."])
def test_the_servers_own_folders_are_refused(data_dir: Path, name: str) -> None:
    assert "server's own" in refused(f"{data_dir}/{name}").message


def test_a_symlink_anywhere_below_the_root_is_refused(data_dir: Path, tmp_path: Path) -> None:
    (data_dir / "workspaces").mkdir()
    (data_dir / "workspaces" / "link").symlink_to(tmp_path)
    refused(f"{data_dir}/workspaces/link")
    refused(f"{data_dir}/workspaces/link/deeper")
    (data_dir / "workspaces" / "broken").symlink_to("nowhere")
    refused(f"{data_dir}/workspaces/broken")


def test_a_root_that_the_owner_reaches_by_a_symlink_is_its_real_folder(
    data_dir: Path, tmp_path: Path, settings: Any
) -> None:
    (tmp_path / "real" / "al").mkdir(parents=True)
    (tmp_path / "root").symlink_to(tmp_path / "real")
    settings.MEMORY_ALLOWED_ROOTS = (tmp_path / "root",)
    assert checked_folder(f"{tmp_path}/root/al", field="path") == tmp_path / "real" / "al"
    assert checked_folder(f"{tmp_path}/real/al", field="path") == tmp_path / "real" / "al"


def test_a_file_is_no_folder(data_dir: Path) -> None:
    (data_dir / "notes.md").write_text("x")
    assert "not a folder" in refused(f"{data_dir}/notes.md").message


def test_too_long_names_are_refused(data_dir: Path) -> None:
    refused(f"{data_dir}/{'a' * 5000}")
    refused(f"{data_dir}/{'a' * 300}")
