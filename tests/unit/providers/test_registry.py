"""Which model a name means, where its file lies, and what is said when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import ModelUnavailable
from search.runtime.gguf_header import read_header
from search.runtime.presets import BUNDLED, PRESETS
from search.runtime.registry import SETS, how_to_get, installed, locate, own_files, ready_to_load, set_models

FOLDER = Path("/data/models")


def test_a_registry_id_lies_in_the_shared_folder() -> None:
    found = locate("bge-reranker-v2-m3-q8", "rerank", FOLDER)
    assert found.path == FOLDER / "bge-reranker-v2-m3-Q8_0.gguf"


def test_a_hub_name_lies_there_under_its_files_name() -> None:
    found = locate("hf:me/my-model/sub/model-Q4.gguf", "embed", FOLDER)
    assert (found.path, found.preset.repo) == (FOLDER / "model-Q4.gguf", "me/my-model")


def test_a_file_of_ones_own_stays_where_it_is() -> None:
    assert locate("/mnt/models/mine.gguf", "embed", FOLDER).path == Path("/mnt/models/mine.gguf")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpt",
        "mine.gguf",
        "../x.gguf",
        "/etc/passwd",
        "hf:a/b",
        "hf:a/../c.gguf",
        "hf:a/b/../c.gguf",
        "hf:a/b/c.bin",
    ],
)
def test_what_is_no_name_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(ModelUnavailable, match="no model named") as error:
        locate(name, "embed", FOLDER)
    assert BUNDLED.id in error.value.hint


def test_a_model_for_another_role_is_refused() -> None:
    with pytest.raises(ModelUnavailable, match="is a model to rerank, not to embed"):
        locate("bge-reranker-v2-m3-q8", "embed", FOLDER)


def test_a_missing_file_comes_with_what_to_copy_where(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="is not there") as error:
        ready_to_load("qwen3-0.6b-q8", "generate", tmp_path)
    assert f"copy it to {tmp_path}/Qwen3-0.6B-Q8_0.gguf" in error.value.hint
    assert "huggingface.co/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf" in error.value.hint


def test_a_mirror_is_named_instead_of_the_hub() -> None:
    assert "http://mirror/Qwen/" in how_to_get(locate("qwen3-0.6b-q8", "generate", FOLDER), "http://mirror")


def test_without_a_name_the_first_that_is_there_is_taken(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no local model to rerank"):
        ready_to_load("", "rerank", tmp_path)
    (tmp_path / "bge-reranker-v2-m3-Q8_0.gguf").write_bytes(b"GGUF")
    assert ready_to_load("", "rerank", tmp_path).preset.id == "bge-reranker-v2-m3-q8"
    assert [model.preset for model in installed("embed", tmp_path)] == [BUNDLED]


def test_files_of_ones_own_are_found(tmp_path: Path) -> None:
    for name in ("mine.gguf", BUNDLED.filename, "mine.gguf.part"):
        (tmp_path / name).write_bytes(b"GGUF")
    assert [path.name for path in own_files(tmp_path)] == ["mine.gguf"]


def test_every_set_is_made_of_models_of_the_right_roles() -> None:
    for entry in SETS:
        assert all(not name or PRESETS[name].role == role for role, name in set_models(entry).items())
    assert [entry.memory_gb for entry in SETS] == [2, 4, 8, 16]


VERSION_3 = b"GGUF\x03\0\0\0"
NO_MODELS = {
    "empty": b"",
    "sign alone": b"GGUF",
    "another sign": b"GGUX" + bytes(40),
    "too many values": VERSION_3 + b"\xff" * 16,
    "a name too long": VERSION_3 + bytes(8) + b"\x01" + bytes(7) + b"\xff" * 8,
}


@pytest.mark.parametrize("data", NO_MODELS.values(), ids=NO_MODELS)
def test_a_file_that_is_none_is_refused_before_anything_loads_it(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.gguf").write_bytes(data)
    with pytest.raises(ModelUnavailable, match="no GGUF file"):
        read_header(tmp_path / "x.gguf")


def test_a_file_that_is_not_there_is_said_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot read"):
        read_header(tmp_path / "x.gguf")
