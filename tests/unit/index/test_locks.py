"""The writer lock says in words why it cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import IndexBusy, IndexUnavailable
from search.index.locks import writer_lock


def test_a_held_lock_is_busy(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "al.sqlite"), pytest.raises(IndexBusy), writer_lock(tmp_path / "al.sqlite"):
        pass


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "indexes").symlink_to("/proc/sys")  # not even root may make a file there
    with pytest.raises(IndexUnavailable, match="cannot be written"), writer_lock(tmp_path / "indexes" / "al.sqlite"):
        pass
