"""The reader of the packed model refuses every other file with a clear error."""

import struct
from pathlib import Path

import numpy as np
import pytest

from search.errors import EmbedderUnavailable
from search.runtime.packed_e5 import read_packed_e5


def packed() -> bytes:
    """A complete file of the format with three pieces and one tensor of four bytes."""
    pieces = [b"<s>", b"</s>", b"x"]
    offsets = np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes()
    scores = np.array([0, 0, -1.5], "<f4").tobytes()
    text = b"".join(pieces)
    head = b"E5S1" + struct.pack("<I7ifi5i", 1, 32, 1, 2, 64, 5, 512, 2, 1e-5, 0, 3, 0, 1, 0, 2)
    words = struct.pack("<Q", len(text)) + offsets + scores + text + struct.pack("<iI", 1, 8) + bytes(8)
    entry = struct.pack("<iH", 1, 3) + b"emb" + bytes(5)
    start = len(head + words + entry) + 16
    return head + words + entry + struct.pack("<QQ", start, 4) + b"\x01\x02\x03\x04"


def test_a_complete_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(packed())
    model = read_packed_e5(path)
    assert model.pieces == (b"<s>", b"</s>", b"x")
    assert (model.hidden, model.vocabulary, model.eos, model.unknown) == (32, 5, 1, 2)
    assert model.scores[2] == -1.5
    assert model.tensors["emb"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("length", range(1, len(packed())))
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(packed()[:length])
    with pytest.raises(EmbedderUnavailable, match=r"model\.bin is not a packed e5 model"):
        read_packed_e5(path)


@pytest.mark.parametrize("content", [b"", b"GGUF" + bytes(500), bytes(500)], ids=["empty", "gguf", "zeros"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(EmbedderUnavailable, match="not a packed e5 model"):
        read_packed_e5(path)
