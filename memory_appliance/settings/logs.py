"""Logging to stderr, one line an event: time, level, logger, message, then `name=value` of its extra fields."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request", "status_code"}


class LineFormatter(logging.Formatter):
    """`2026-01-05T10:00:00+00:00 INFO agents.runs run claimed run=7`; line breaks in values are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        extra = [f"{name}={value!r}" for name, value in vars(record).items() if name not in _STANDARD]
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = " ".join([at, record.levelname, record.name, message, *extra])
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def logging_settings(level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": LineFormatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            name: {"handlers": ["stderr"], "level": level, "propagate": False}
            for name in ("django", "search", "agents", "workers", "memory_appliance")
        },
    }
