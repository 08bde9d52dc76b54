"""A folder on a disk that hangs: one thread waits for it, the next are told at once, other folders are read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from search.documents import answering
from search.documents.contain import is_folder, list_folder, read_inside


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: Any) -> Iterator[Path]:
    """A root whose files do not open until the test is over; a thread waits for one of them."""
    for name in ("nas", "here"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "MEMORY.md").write_text("- key\n")
    begun, goes_on, real = Event(), Event(), os.open

    def opening(path: Any, *rest: Any, **more: Any) -> int:
        if path == "nas":
            begun.set()
            goes_on.wait()
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(answering, "PATIENCE_SECONDS", 0.01)
    read: list[bytes] = []
    waits = Thread(target=lambda: read.append(read_inside(tmp_path / "nas", "MEMORY.md")))
    waits.start()
    begun.wait()
    yield tmp_path / "nas"
    goes_on.set()
    waits.join()
    assert read == [b"- key\n"]
    assert read_inside(tmp_path / "nas", "MEMORY.md") == b"- key\n"


def test_the_next_ones_are_told_and_other_folders_are_read(hanging: Path) -> None:
    for _ in range(3):
        with pytest.raises(OSError, match="does not answer") as caught:
            read_inside(hanging, "MEMORY.md")
        assert caught.value.errno == errno.ETIMEDOUT
    with pytest.raises(OSError, match="does not answer"):
        list_folder(hanging)
    assert not is_folder(hanging)
    assert read_inside(hanging.with_name("here"), "MEMORY.md") == b"- key\n"
