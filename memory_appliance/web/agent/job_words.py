"""A job as people read it: what it is, why it runs, what came out, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.models import Run
from memory_appliance.web.told import told
from workers.jobs import JOBS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

KINDS: Mapping[str, StrOrPromise] = {kind.value: job.words for kind, job in JOBS.items()}
STATES: Mapping[str, tuple[StrOrPromise, str]] = {
    "queued": (gettext_lazy("waiting"), ""),
    "running": (gettext_lazy("running"), "warn"),
    "done": (gettext_lazy("done"), "good"),
    "failed": (gettext_lazy("failed"), "bad"),
    "cancelled": (gettext_lazy("stopped"), ""),
}
_REASONS: Mapping[str, StrOrPromise] = {
    "request": gettext_lazy("requested"),
    "schedule": gettext_lazy("scheduled"),
    "change": gettext_lazy("files changed"),
    "update": gettext_lazy("chunks are waiting for vectors"),
    "pending": gettext_lazy("chunks are waiting for vectors"),
    "rebuild": gettext_lazy("after a rebuild"),
    "damage": gettext_lazy("the index was lost or damaged"),
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
        kind=KINDS[run.kind],
        state=_("stopping") if run.cancel_requested and run.state == Run.State.RUNNING else state,
        tag=tag,
        reason=_("another model") if run.reason.startswith("model ") else _REASONS.get(run.reason, run.reason),
        outcome=told(run.error) if run.error else _outcome(run.kind, run.result),
        took=end - run.started_at if run.started_at and end else None,
    )


def _outcome(kind: str, result: Mapping[str, Any]) -> str:
    """The numbers of a finished job that are not zero; of an older version's job, those that it has."""
    if kind == Run.Kind.UPDATE:
        said = {
            "added": _("%(n)s added"),
            "changed": _("%(n)s changed"),
            "removed": _("%(n)s removed"),
            "problems": _("%(n)s with problems"),
        }
    elif kind == Run.Kind.EMBED:
        said = {"embedded": _("%(n)s embedded"), "pending": _("%(n)s waiting"), "refused": _("%(n)s refused")}
    elif kind == Run.Kind.BACKUP:
        said = {"files": _("%(n)s files")}
    else:
        said = {"scanned": _("%(n)s files"), "chunks": _("%(n)s chunks"), "vectors": _("%(n)s vectors")}
    parts = [text % {"n": intcomma(result[name])} for name, text in said.items() if result.get(name)]
    if parts:
        return _(", ").join(parts)
    return _("no changes") if kind == Run.Kind.UPDATE and result else ""
