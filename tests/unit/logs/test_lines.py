"""Log lines: one line an event, with its extra fields."""

from __future__ import annotations

import logging

from workers.logs import LineFormatter


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    return logging.getLogger("agents.jobs.runs").makeRecord(
        "agents.jobs.runs", logging.INFO, "f", 1, message, args, None, extra=extra
    )


def test_an_event_is_one_line_with_its_fields() -> None:
    line = LineFormatter().format(record("claimed %s", "al", run=7))
    assert line.endswith("INFO agents.jobs.runs claimed al run=7")


def test_line_breaks_in_a_message_cannot_forge_a_line() -> None:
    line = LineFormatter().format(record("slug a\n2026 ERROR forged", path="b\nc"))
    assert len(line.splitlines()) == 1
