"""Old temporary files go at the start, young ones and everything that a link points to stay."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memory_appliance.launch.leftovers import OLD_SECONDS, remove_leftovers


def aged(path: Path, seconds: float) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then), follow_symlinks=False)
    return path


def test_only_what_is_older_than_a_day_goes(tmp_path: Path) -> None:
    (old_folder := tmp_path / "memory-verify-1").mkdir()
    (old_folder / "part").write_text("x")
    (old_file := tmp_path / "old").write_text("x")
    (young := tmp_path / "young").write_text("x")
    aged(old_folder, OLD_SECONDS + 60)
    aged(old_file, OLD_SECONDS + 60)
    assert remove_leftovers(tmp_path) == 2
    assert list(tmp_path.iterdir()) == [young]


def test_what_a_link_points_to_stays(tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (elsewhere / "note.md").write_text("kept")
    (folder := tmp_path / "tmp").mkdir()
    (link := folder / "link").symlink_to(elsewhere)
    aged(link, OLD_SECONDS + 60)
    assert remove_leftovers(folder) == 1
    assert (elsewhere / "note.md").read_text() == "kept"


def test_a_folder_that_is_not_there_is_no_failure(tmp_path: Path) -> None:
    assert remove_leftovers(tmp_path / "none") == 0
