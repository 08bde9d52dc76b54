"""Logging to stderr, one event a line, as text or as JSON; each line carries the id of the request it is about."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, Literal

from pythonjsonlogger.json import JsonFormatter

from workers.request_id import request_id

LogFormat = Literal["line", "json"]

OWN = ("search", "agents", "workers", "memory_appliance")
"""Loggers that the level is about; what libraries say is shown from WARNING on."""

_NOT_OURS = frozenset({"request", "status_code", "data"})
"""Fields that Django and Celery add. `data` holds the arguments of a task: for a model's job they are memory text."""

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", *_NOT_OURS}


class RequestIdFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if current := request_id.get():
            record.request_id = current
        return True


class RouteFilter(logging.Filter):
    """Django's own lines about a request that failed hold its whole address, and so perhaps the name of a chat."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is not None and isinstance(record.args, tuple) and len(record.args) == 2:
            match = getattr(request, "resolver_match", None)
            record.args = (record.args[0], match.route if match else "(no such address)")
        return True


class LineFormatter(logging.Formatter):
    """`2026-01-05T10:00:00+00:00 INFO agents.jobs.runs run claimed run=7`; line breaks in values are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        at = _time(record)
        extra = [f"{name}={value!r}" for name, value in vars(record).items() if name not in _STANDARD]
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = " ".join([at, record.levelname, record.name, message, *extra])
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


class JsonLineFormatter(JsonFormatter):
    """`{"at": …, "level": …, "logger": …, "message": …}` and the event's own fields; a traceback is `exc_info`."""

    def __init__(self) -> None:
        super().__init__(reserved_attrs=sorted(_STANDARD), json_ensure_ascii=False)

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        log_data.update(at=_time(record), level=record.levelname, logger=record.name)
        super().add_fields(log_data, record, message_dict)


def logging_settings(level: str, form: LogFormat) -> dict[str, Any]:
    formatter = JsonLineFormatter if form == "json" else LineFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": RequestIdFilter}, "route": {"()": RouteFilter}},
        "formatters": {"chosen": {"()": formatter}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "chosen", "filters": ["request_id"]},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            **{name: {"handlers": ["stderr"], "level": level, "propagate": False} for name in OWN},
            # At DEBUG it would show what pages are made of.
            "django": {"handlers": ["stderr"], "level": "INFO" if level == "DEBUG" else level, "propagate": False},
            # What went wrong with the caller's request is in the answer, and counted.
            "django.request": {"level": "ERROR", "filters": ["route"]},
        },
    }


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
