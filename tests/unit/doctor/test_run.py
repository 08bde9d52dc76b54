"""run_doctor() and its command: every check is run, none takes the others down, and the exit code tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError

from memory_appliance.doctor import Finding, run_doctor, worst
from memory_appliance.doctor.check import Check, Seen, Visit
from tests.unit.doctor.conftest import Look


def checks(monkeypatch: Any, *levels: str, **more: Any) -> None:
    def look(visit: Visit) -> Iterator[Seen]:
        for level in levels:
            yield Seen(level, "seen", "do it", level)  # type: ignore[arg-type]

    monkeypatch.setattr("memory_appliance.doctor.run.CHECKS", (Check("one", "One", look, **more),))


def test_findings_are_named_by_check_and_part(look: Look, monkeypatch: Any) -> None:
    checks(monkeypatch, "ok", "warning")
    assert [(one.id, one.title, one.level) for one in run_doctor()] == [
        ("one.ok", "One", "ok"), ("one.warning", "One", "warning"),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [OperationalError("no such table"), PermissionError(13, "Permission denied", "/x")])
def test_a_check_that_fails_is_a_problem_and_the_others_go_on(look: Look, monkeypatch: Any, error: Exception) -> None:
    def failing(visit: Visit) -> Iterator[Seen]:
        yield Seen("ok", "first")
        raise error

    def fine(visit: Visit) -> Iterator[Seen]:
        yield Seen("ok", "second")

    both = (Check("failing", "Failing", failing), Check("fine", "Fine", fine))
    monkeypatch.setattr("memory_appliance.doctor.run.CHECKS", both)
    assert [finding.level for finding in run_doctor()] == ["ok", "problem", "ok"]


def test_without_its_database_the_rest_is_looked_at(look: Look, monkeypatch: Any) -> None:
    checks(monkeypatch, "ok", needs_database=True)
    monkeypatch.setattr("memory_appliance.doctor.run.database_problem", lambda: "unable to open database file")
    assert [finding.level for finding in run_doctor()] == ["skipped"]


def test_a_quick_visit_leaves_out_what_waits(look: Look, monkeypatch: Any) -> None:
    checks(monkeypatch, "ok", in_quick=False)
    assert list(run_doctor(quick=True)) == []


def test_the_worst_finding_is_the_verdict() -> None:
    levels = [Finding("a", "A", level, "") for level in ("ok", "skipped", "warning")]  # type: ignore[arg-type]
    assert (worst(levels), worst(levels[:2]), worst([])) == ("warning", "ok", "ok")


@pytest.mark.parametrize(
    ("level", "options", "code"),
    [("ok", [], 0), ("skipped", [], 0), ("warning", [], 0), ("warning", ["--strict"], 1), ("problem", [], 1)],
)
def test_the_exit_code_tells(
    look: Look, monkeypatch: Any, capsys: Any, level: str, options: list[str], code: int
) -> None:
    checks(monkeypatch, level)
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", *options)
    assert ended.value.code == code
    assert "→ do it" in capsys.readouterr().out


def test_json_is_one_document(look: Look, monkeypatch: Any, capsys: Any) -> None:
    checks(monkeypatch, "warning")
    with pytest.raises(SystemExit):
        call_command("doctor", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["level"], told["findings"][0]["todo"]) == ("warning", "do it")


def test_an_agent_that_does_not_exist_is_a_problem(look: Look, data_dir: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--quick", "--agent", "nobody")
    assert ended.value.code == 1
    assert "no agent nobody" in capsys.readouterr().out
