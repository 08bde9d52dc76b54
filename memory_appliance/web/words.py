"""What the engine and the server say in codes, as sentences that pages can show in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from memory_appliance.health import Health
from memory_appliance.web.told import told
from search.degradations import meaning

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

OUTCOMES: Mapping[str, StrOrPromise] = {
    "ok": _("recalled"),
    "timeout_partial": _("partly recalled"),
    "no_relevant_memory": _("nothing relevant"),
    "skipped": _("not needed"),
    "denied": _("denied"),
    "timeout": _("timed out"),
    "unavailable": _("unavailable"),
    "failed": _("failed"),
}
"""Outcomes of a turn's recall, in the order in which they are told."""

TROUBLED_OUTCOMES = frozenset({"timeout", "unavailable", "failed"})

PARTS: Mapping[str, StrOrPromise] = {
    "database": _("Control database"),
    "broker": _("Broker"),
    "workers": _("Workers"),
    "models": _("Embedding model"),
    "disk": _("Disk"),
    "agents": _("Agents"),
}
"""The parts of the server that `health` looks at."""

_TROUBLES: Mapping[str, StrOrPromise] = {
    "database": _("The control database can't be read."),
    "broker": _("The message broker doesn't respond: updates wait, search keeps working."),
    "workers": _("No worker is running: changed files aren't indexed for now."),
    "models": _("The embedding model isn't ready: search uses words only for now."),
    "disk": _("The disk of the data folder is almost full or can't be read."),
    "agents": _("Some agents need attention; all others are served."),
}


def degradation(code: str) -> str:
    """In the reader's language."""
    return told(meaning(code))


def troubles_by_part(health: Health) -> dict[str, StrOrPromise]:
    """A sentence for each part that does not work as it should."""
    bad = ((name, check) for name, check in health.checks.items() if check.status != "ok")
    return {name: _TROUBLES.get(name) or told(check.detail) for name, check in bad}


def troubles(health: Health) -> list[StrOrPromise]:
    """Those of the server itself: which agents need attention is not for every eye, and pages list those one by one."""
    return [sentence for part, sentence in troubles_by_part(health).items() if part != "agents"]
