"""Lines for programs: one JSON object an event, with the same content as the lines for people."""

from __future__ import annotations

import json
import logging
import logging.config
import subprocess
import sys
from typing import Any

import pytest

from workers.logs import JsonLineFormatter, LineFormatter, RequestIdFilter, RouteFilter, logging_settings
from workers.process import log_choice
from workers.request_id import request_id


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    return logging.getLogger("agents.jobs.runs").makeRecord(
        "agents.jobs.runs", logging.INFO, "f", 1, message, args, None, extra=extra
    )


def as_json(line: logging.LogRecord) -> dict[str, Any]:
    text = JsonLineFormatter().format(line)
    assert len(text.splitlines()) == 1
    return dict(json.loads(text))


def test_an_event_is_an_object_with_its_fields() -> None:
    line = as_json(record("claimed %s", "鸟\n", run=7))
    assert line.pop("at").endswith("+00:00")
    assert line == {"level": "INFO", "logger": "agents.jobs.runs", "message": "claimed 鸟\n", "run": 7}


def test_a_fault_brings_its_traceback_on_the_same_line() -> None:
    try:
        raise ValueError("odd")
    except ValueError:
        fault = logging.getLogger("agents").makeRecord("agents", 40, "f", 1, "fault", (), sys.exc_info())
    assert "ValueError: odd" in as_json(fault)["exc_info"]


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonLineFormatter()])
def test_what_celery_adds_of_a_tasks_arguments_is_left_out(formatter: logging.Formatter) -> None:
    line = record("Task models.rerank raised", data={"args": "['the spare key is under the pot']"})
    assert "spare key" not in formatter.format(line)


def test_a_line_carries_the_id_of_its_request_and_none_without_one() -> None:
    token = request_id.set("gateway-17")
    with_id = record("claimed")
    RequestIdFilter().filter(with_id)
    request_id.reset(token)
    without = record("claimed")
    RequestIdFilter().filter(without)
    assert as_json(with_id)["request_id"] == "gateway-17"
    assert "request_id" not in as_json(without)


def test_djangos_line_about_a_failed_request_names_no_chat(rf: Any) -> None:
    request = rf.get("/api/v1/agents/al/transcripts/agent:al:telegram:direct:42/messages")
    request.resolver_match = None
    line = record("%s: %s", "Internal Server Error", request.path, request=request)
    RouteFilter().filter(line)
    assert line.getMessage() == "Internal Server Error: (no such address)"


@pytest.mark.parametrize("form", ["line", "json"])
def test_the_settings_are_ones_that_python_takes(form: Any) -> None:
    code = f"import logging.config, workers.logs as l; logging.config.dictConfig(l.logging_settings('INFO', {form!r}));"
    say = "logging.getLogger('agents.x').info('hello'); logging.getLogger('agents.x').debug('never')"
    done = subprocess.run([sys.executable, "-c", f"{code} {say}"], capture_output=True, text=True, check=True)
    assert done.stderr.count("hello") == 1 and "never" not in done.stderr


def test_the_level_is_about_our_own_loggers() -> None:
    loggers = logging_settings("DEBUG", "line")["loggers"]
    assert loggers["agents"]["level"] == loggers["workers"]["level"] == "DEBUG"
    assert logging_settings("DEBUG", "line")["root"]["level"] == "WARNING"


def test_the_models_process_takes_the_servers_choice() -> None:
    assert log_choice({"MEMORY_LOG_LEVEL": "ERROR", "MEMORY_LOG_FORMAT": "json"}) == ("ERROR", "json")
    assert log_choice({}) == ("INFO", "line")
