"""The documentation of the options is drawn from the table, and what is drawn is what is committed."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from memory_appliance.settings.options import Options, env_name
from memory_appliance.settings.reference import env_sample, markdown

ROOT = Path(__file__).resolve().parents[3]


def test_the_committed_page_and_sample_are_up_to_date() -> None:
    assert (ROOT / "docs" / "configuration.md").read_text("utf-8") == markdown()
    assert (ROOT / ".env.example").read_text("utf-8") == env_sample()


def test_every_option_is_explained() -> None:
    for field, info in Options.model_fields.items():
        assert info.description and f"`{env_name(field)}`" in markdown()


def test_the_command_prints_either(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("options")
    assert capsys.readouterr().out == markdown()
    call_command("options", "--env")
    assert capsys.readouterr().out == env_sample()
