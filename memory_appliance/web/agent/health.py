"""How one agent is: its index in numbers, everything that is not as it should be in words, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.context import near_limits
from agents.core.agent_settings import memory_on
from agents.memory import reads
from agents.models import Run
from agents.providers.plans import agent_plan
from agents.registry import selectors
from agents.registry.fleet.attention import state_of
from memory_appliance.health import health
from memory_appliance.web.access import Access
from memory_appliance.web.agent.job_words import Job, job_of
from memory_appliance.web.told import refusal, told
from memory_appliance.web.words import degradation, troubles
from search.errors import SearchError
from search.index.report import IndexStatus

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FAST_SECONDS, SLOW_SECONDS = 2, 15
MOST_JOBS = 30
Kind = Literal["bad", "warn", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know. `url` leads to what can be done, which `step` names."""

    kind: Kind
    text: StrOrPromise
    step: StrOrPromise = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class CollectionLine:
    name: str
    files: int
    chunks: int
    problems: int


@dataclass(frozen=True, slots=True)
class AgentHealth:
    """`index` is None when it cannot be read; then a finding says so."""

    index: IndexStatus | None
    model: str
    findings: tuple[Finding, ...]
    jobs: tuple[Job, ...]
    problems: int

    @property
    def verdict(self) -> tuple[StrOrPromise, str]:
        """The headline and its colour."""
        kinds = {finding.kind for finding in self.findings}
        if "bad" in kinds:
            return gettext_lazy("Needs attention"), "bad"
        if "warn" in kinds:
            return gettext_lazy("Degraded"), "warn"
        if self.index is None or not self.index.exists:
            return gettext_lazy("Starting"), ""
        return gettext_lazy("Everything is fine"), "good"

    @property
    def active(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.active)

    @property
    def strip(self) -> tuple[Job, ...]:
        """The last jobs, oldest first."""
        return tuple(reversed(self.jobs))

    @property
    def embedded_share(self) -> float:
        return self.index.embedded / self.index.chunks if self.index and self.index.chunks else 0.0

    @property
    def collections(self) -> tuple[CollectionLine, ...]:
        parts = self.index.collections if self.index else ()
        return tuple(CollectionLine(part.name, part.files, part.chunks, len(part.problems)) for part in parts)

    @property
    def poll_seconds(self) -> int:
        return FAST_SECONDS if self.active else SLOW_SECONDS


def health_of(access: Access) -> AgentHealth:
    agent = access.agent
    jobs = tuple(job_of(run) for run in selectors.list_runs(agent=agent.slug)[:MOST_JOBS])
    findings: list[Finding] = []
    index: IndexStatus | None = None
    problems = 0
    try:
        index = reads.status(agent)
        problems = sum(len(part.problems) for part in index.collections)
    except SearchError as error:
        findings.append(_to_rebuild(access, "bad", refusal(error)))
    if not memory_on(agent.settings):
        findings.append(_switched_off(access))
    if agent.last_error:
        findings.append(Finding("bad", told(agent.last_error), *_to_the_jobs(access)))
    if state_of(agent, None, timezone.now()) == "late":
        findings.append(Finding("warn", _("The files should have been checked again by now."), *_to_the_jobs(access)))
    if index is not None:
        findings += [_degraded(access, one.code, one.detail, jobs) for one in index.degraded]
    if problems:
        findings.append(_problems(access, problems))
    to_the_files = (gettext_lazy("Go to files"), _address("files", access))
    findings += [Finding("warn", told(said), *to_the_files) for said in near_limits(agent)]
    findings += [Finding("warn", sentence) for sentence in troubles(health())]
    return AgentHealth(index, str(agent_plan("embed", agent).first), _each_once(findings), jobs, problems)


def _degraded(access: Access, code: str, detail: str, jobs: tuple[Job, ...]) -> Finding:
    """What passes by itself is only told; a switch of models that nobody works on is to be started."""
    text = degradation(code)
    working = any(job.active and job.run.kind == Run.Kind.REBUILD for job in jobs)
    if code == "pending_embeddings" or (code == "no_index" and not access.agent.last_error):
        return Finding("info", text)
    if code in ("stale_vectors", "no_keyword") and not working:
        return _to_rebuild(access, "warn", text)
    return Finding("warn", text)


def _to_rebuild(access: Access, kind: Kind, text: StrOrPromise) -> Finding:
    if not access.may_edit:
        return Finding(kind, text)
    return Finding(kind, text, gettext_lazy("Rebuild index"), _address("agent-rebuild", access))


def _to_the_jobs(access: Access) -> tuple[StrOrPromise, str]:
    return gettext_lazy("View jobs"), _address("agent-jobs", access)


def _switched_off(access: Access) -> Finding:
    text = _("Memory is off: nothing is searched, recalled or indexed.")
    if not access.may_admin:
        return Finding("bad", text)
    return Finding("bad", text, gettext_lazy("Go to settings"), _address("agent-settings", access) + "#delete-title")


def _problems(access: Access, count: int) -> Finding:
    text = ngettext("%(count)d file or folder was skipped.", "%(count)d files or folders were skipped.", count)
    return Finding(
        "warn", text % {"count": count}, gettext_lazy("View skipped files"), _address("agent-problems", access)
    )


def _address(route: str, access: Access) -> str:
    return reverse(route, args=[access.agent.slug])


def _each_once(findings: list[Finding]) -> tuple[Finding, ...]:
    """The worst first, no sentence twice."""
    order = ("bad", "warn", "info")
    once = {str(finding.text): finding for finding in reversed(findings)}
    kept = [finding for finding in findings if once[str(finding.text)] is finding]
    return tuple(sorted(kept, key=lambda finding: order.index(finding.kind)))
