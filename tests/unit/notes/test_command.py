"""`manage.py memory note`."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from tests.unit.notes.conftest import Desk


def run(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("memory", "note", *arguments, stdout=out, **options)
    return out.getvalue()


def test_a_note_is_written_and_its_place_said(desk: Desk) -> None:
    assert run("Buy a ladder.", "--target", "memory/plans.md") == "memory/plans.md#L1\n"
    assert run("buy a ladder.", "--target", "memory/plans.md") == "memory/plans.md#L1 (was there already)\n"


def test_as_json_it_says_all_of_it(desk: Desk) -> None:
    answer = json.loads(run("Gate: 4411.", "--target", "memory", "--importance", "9", "--trigger", "gate", "--json"))
    assert (answer["path"], answer["start_line"], answer["duplicate"], answer["indexed"]) == (
        "MEMORY.md",
        4,
        False,
        True,
    )
    assert "<!-- importance: 9 --> <!-- trigger: gate -->" in desk.text("MEMORY.md")


def test_a_place_that_is_none_ends_with_one_line(desk: Desk) -> None:
    err = StringIO()
    with pytest.raises(SystemExit) as ended:
        run("A note.", "--target", "../x.md", stderr=err)
    assert ended.value.code == 1 and err.getvalue().startswith("error: ")
