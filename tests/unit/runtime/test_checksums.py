"""A model file is loaded only if it is exactly the known one."""

import hashlib
import os
from pathlib import Path

import pytest

from search.errors import EmbedderUnavailable
from search.runtime.checksums import verify_file

CONTENT = b"weights" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(CONTENT)
    return path


def test_the_known_file_passes_and_the_check_is_noted(model: Path) -> None:
    verify_file(model, SHA256)
    assert SHA256 in model.with_name("model.gguf.ok").read_text()


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT[:-1] + b"x"], ids=["empty", "truncated", "one byte"])
def test_a_damaged_file_is_named_with_what_to_do(model: Path, content: bytes) -> None:
    model.write_bytes(content)
    with pytest.raises(EmbedderUnavailable, match=r"model\.gguf is damaged") as error:
        verify_file(model, SHA256)
    assert str(model) in error.value.hint


def test_a_file_changed_after_its_check_is_checked_again(model: Path) -> None:
    verify_file(model, SHA256)
    model.write_bytes(CONTENT[::-1])
    os.utime(model, ns=(1, 1))
    with pytest.raises(EmbedderUnavailable):
        verify_file(model, SHA256)


@pytest.mark.parametrize("note", ["", "{", "[]", '{"size": 7000}'])
def test_a_damaged_note_counts_for_nothing(model: Path, note: str) -> None:
    model.with_name("model.gguf.ok").write_text(note)
    with pytest.raises(EmbedderUnavailable):
        verify_file(model, "0" * 64)


def test_a_checked_file_is_not_read_again(model: Path) -> None:
    verify_file(model, SHA256)
    facts = model.stat()
    model.write_bytes(CONTENT[::-1])
    os.utime(model, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    verify_file(model, SHA256)  # same size, same time: the note is believed


def test_a_missing_file_is_missing_and_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        verify_file(tmp_path / "none.gguf", SHA256)
