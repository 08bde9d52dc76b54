"""A job as people read it: what it is, why it runs, what came out, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.models import Run
from memory_appliance.web.diff import visible

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

KINDS: Mapping[str, StrOrPromise] = {
    "update": gettext_lazy("Update"),
    "embed": gettext_lazy("Vectors"),
    "rebuild": gettext_lazy("Rebuild"),
    "pull": gettext_lazy("Download"),
}
STATES: Mapping[str, tuple[StrOrPromise, str]] = {
    "queued": (gettext_lazy("waits"), ""),
    "running": (gettext_lazy("runs"), "warn"),
    "done": (gettext_lazy("done"), "good"),
    "failed": (gettext_lazy("failed"), "bad"),
    "cancelled": (gettext_lazy("stopped"), ""),
}
_REASONS: Mapping[str, StrOrPromise] = {
    "request": gettext_lazy("asked for"),
    "schedule": gettext_lazy("it was time"),
    "watch": gettext_lazy("files changed"),
    "embed": gettext_lazy("chunks wait for vectors"),
}


@dataclass(frozen=True, slots=True)
class Job:
    run: Run
    kind: StrOrPromise
    state: StrOrPromise
    tag: str
    reason: StrOrPromise
    outcome: str
    took: timedelta | None

    @property
    def active(self) -> bool:
        return self.run.state in Run.ACTIVE

    @property
    def seconds(self) -> float:
        return self.took.total_seconds() if self.took else 0.0


def job_of(run: Run) -> Job:
    state, tag = STATES[run.state]
    end = run.finished_at or (timezone.now() if run.state == Run.State.RUNNING else None)
    return Job(
        run=run,
        kind=KINDS.get(run.kind, run.kind),
        state=_("stops soon") if run.cancel_requested and run.state == Run.State.RUNNING else state,
        tag=tag,
        reason=_("another model") if run.reason.startswith("model ") else _REASONS.get(run.reason, run.reason),
        outcome=visible(run.error) if run.error else _outcome(run.kind, run.result),
        took=end - run.started_at if run.started_at and end else None,
    )


def _outcome(kind: str, result: Mapping[str, Any]) -> str:
    """Numbers of a finished job; a result that lacks them, of an older version, says nothing."""
    try:
        if kind == Run.Kind.UPDATE:
            return _("%(added)s added, %(changed)s changed, %(removed)s removed; %(problems)s with problems") % result
        if kind == Run.Kind.EMBED:
            return _("%(embedded)s embedded, %(pending)s wait, %(refused)s refused") % result
        if kind == Run.Kind.REBUILD:
            return _("%(scanned)s files, %(chunks)s chunks, %(vectors)s vectors") % result
    except KeyError:
        return ""
    return ""
