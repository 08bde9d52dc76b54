"""System checks: what is wrong, in words for the owner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.setup import checks


def test_a_sound_set_up_has_nothing_to_say(data_dir: Path) -> None:
    assert not list(checks.check_data_folder(None)) and not list(checks.check_allowed_roots(None))


def test_a_data_folder_that_is_none(data_dir: Path, settings: Any) -> None:
    settings.MEMORY_DATA_DIR = data_dir / "none"
    (error,) = checks.check_data_folder(None)
    assert error.id == "memory.E001" and str(data_dir / "none") in error.msg


def test_a_data_folder_that_cannot_be_written_shows_owner_and_mode(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks.os, "access", lambda *_: False)  # the tests may run as root, whom no mode stops
    (error,) = checks.check_data_folder(None)
    assert error.id == "memory.E002" and "owner" in error.msg and "mode" in error.msg


def test_a_root_that_is_missing_is_named(data_dir: Path, settings: Any) -> None:
    settings.MEMORY_ALLOWED_ROOTS = (data_dir, data_dir / "gone")
    (warning,) = checks.check_allowed_roots(None)
    assert str(data_dir / "gone") in warning.msg


def test_an_option_that_is_none_is_named_with_what_was_meant(settings: Any) -> None:
    settings.MEMORY_UNKNOWN_OPTIONS = {"MEMORY_PROT": "MEMORY_PORT"}
    (warning,) = checks.check_unknown_options(None)
    assert "MEMORY_PROT" in warning.msg and "MEMORY_PORT" in str(warning.hint)
