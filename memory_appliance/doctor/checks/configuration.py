"""Configuration: what the system checks say of folders, roots and options that are none."""

from __future__ import annotations

from django.core.checks import ERROR, run_checks

from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from memory_appliance.doctor.finding import Level
from search.sentences import sentence


def _look(visit: Visit) -> Looking:
    messages = run_checks(tags=["memory"])
    for message in messages:
        level: Level = "problem" if message.level >= ERROR else "warning"
        yield Seen(level, str(message.msg), str(message.hint or ""), (message.id or "").lower())
    if not messages:
        yield Seen("ok", sentence("Every option is one, every allowed folder is there."))


CONFIGURATION = Check("configuration", "Configuration", _look)
