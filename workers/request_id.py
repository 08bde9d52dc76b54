"""The id of the request that is being answered: set at the door, shown by every line of the log, passed on to tasks."""

from __future__ import annotations

import re
from contextvars import ContextVar

SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:=+/-]{0,127}")
"""Ids as gateways and proxies make them: short, and nothing that could break a line of the log."""

request_id: ContextVar[str] = ContextVar("request_id", default="")
""" "" where no request is behind what is done: the sweep, the nightly care."""
