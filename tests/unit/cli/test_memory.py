"""`manage.py memory`: answers on stdout, remarks on stderr, exit codes 0, 1 and 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from agents.jobs import runs
from agents.models import Agent, Run
from agents.registry.agents import request_update
from memory_appliance.management.commands.memory import Command
from tests.cast import OWNER, write_files

ROOT = Path(__file__).resolve().parents[3]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    call_command("memory", *words)
    return capsys.readouterr().out


def failed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as end:
        call_command("memory", *words)
    assert end.value.code == 1
    line = capsys.readouterr().err
    assert line.startswith("error: ") and len(line.splitlines()) == 1
    return line


def test_search_prints_what_it_found(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "search", "spare key", "--agent", "al")
    assert "MEMORY.md#L" in text and "blue pot" in text


def test_each_hit_names_its_place_once(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "search", "spare key", "--agent", "al", "--max-results", "1")
    assert text.count("MEMORY.md#L") == 1 and "\n      \n" not in text


def test_search_as_json_has_the_shape_of_the_api(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(said(capsys, "search", "spare key", "--json"))
    assert (answer["agent"], answer["outcome"], answer["results"][0]["path"]) == ("al", "ok", "MEMORY.md")


@pytest.mark.parametrize("query", ["", "   ", 'NEAR("', "\udcff\udcfe", "🧅🧄", "a\x00b", "钥匙" * 5000])
def test_any_query_is_answered(al: Agent, capsys: pytest.CaptureFixture[str], query: str) -> None:
    assert json.loads(said(capsys, "search", query, "--json"))["outcome"] in ("ok", "empty")


def test_get_prints_the_lines(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "get", "MEMORY.md", "--from", "3", "--lines", "1").startswith("- The spare key")


@pytest.mark.parametrize("path", ["memory/none.md", "../control.sqlite3", "/etc/passwd", "a\0b", ""])
def test_get_of_what_is_not_there_or_not_allowed_fails(
    al: Agent, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    failed(capsys, "get", path)


def test_with_two_agents_one_must_be_named(al: Agent, al_2: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert "al, al-2" in failed(capsys, "search", "key")
    assert "no agent nobody. There are: al" in failed(capsys, "search", "key", "--agent", "nobody")


def test_recall_says_how_to_look_where_the_message_asks_for_nothing(
    al: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("memory", "recall", "thank you")
    told = capsys.readouterr()
    assert told.out == ""
    assert "--mode always" in told.err and "skipped: no_recall_intent" in told.err


def test_an_unknown_collection_fails_with_its_name(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert "recipes" in failed(capsys, "search", "key", "--collection", "recipes")


def test_status_counts_files_chunks_and_waiting_vectors(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 file, 1 chunk, " in said(capsys, "status")
    (state,) = json.loads(said(capsys, "status", "--json"))
    assert (state["agent"], state["files"], state["embedded"]) == ("al", 1, 0)
    assert state["pending"] == state["chunks"] > 0


def test_index_takes_in_what_changed_and_ends_its_run(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(al, {"memory/2026-01-05.md": "The kettle is blue.\n"})
    (report,) = json.loads(said(capsys, "index", "--json"))
    assert (report["agent"], report["added"]) == ("al", 1)
    run = Run.objects.get()
    assert (run.kind, run.state, run.reason, run.result["added"]) == ("update", "done", "cli", 1)
    assert "kettle" in said(capsys, "search", "kettle")


def test_rebuild_is_a_run_of_its_own(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert "al: " in said(capsys, "index", "--rebuild", "--agent", "al")
    assert Run.objects.get().kind == "rebuild"


def test_index_follows_the_run_that_a_worker_has(
    al: Agent, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request_update(actor=OWNER, agent=al)
    runs.claim(run.pk, owner="worker", lease_seconds=60)

    def the_worker_fails(_: float) -> None:
        runs.finish(run.pk, owner="worker", state="failed", result={}, error="disk full")

    monkeypatch.setattr("memory_appliance.management.memory.index.time.sleep", the_worker_fails)
    assert "disk full" in failed(capsys, "index")


@pytest.mark.parametrize(
    "words", [[], ["search"], ["dance"], ["search", "x", "--max-results", "0"], ["get", "x", "--from", "a"]]
)
def test_usage_errors_end_with_two(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        Command().run_from_argv(["manage.py", "memory", *words])
    assert end.value.code == 2 and "usage:" in capsys.readouterr().err


def test_a_data_folder_without_tables_fails_with_one_line(tmp_path: Path) -> None:
    done = manage(tmp_path, "memory", "status")
    assert done.returncode == 1 and done.stderr.startswith("error: The control database of ")
    assert len(done.stderr.splitlines()) == 1


def test_a_key_for_a_data_folder_without_tables_fails_with_the_folders_name(tmp_path: Path) -> None:
    done = manage(tmp_path, "bootstrap", "--new-key")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert str(tmp_path) in done.stderr and "MEMORY_DATA_DIR" in done.stderr


def test_a_reader_that_has_enough_ends_the_command_quietly() -> None:
    code = (
        "import sys; from django.core.management.base import OutputWrapper as Wrapper;"
        "from memory_appliance.management.memory.output import Output;"
        "output = Output(Wrapper(sys.stdout), Wrapper(sys.stderr)); [output.line('x' * 9000) for _ in range(99)]"
    )
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


def manage(data_dir: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment: dict[str, Any] = {"MEMORY_DATA_DIR": str(data_dir), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
