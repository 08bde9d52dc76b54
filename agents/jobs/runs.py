"""The life of a Run as conditional updates of its row: whoever changes the row first has it, whatever else happens."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max, OuterRef, Q

from agents.core.agent_settings import memory_on, read_settings
from agents.core.apart import apart
from agents.core.paths import index_path
from agents.models import Agent, Run
from agents.servers.common_clock import common_now
from agents.servers.generations import several
from search.index.damage import damage_mark

DISPATCH_PATIENCE = timedelta(seconds=30)
"""A message that no worker has taken up by then counts as lost."""

MOST_WAITING = 50
"""Updates that wait or run at a time. More would only stand in line, and the line is served in order."""

MAX_CLAIMS = 5
"""A run whose workers died this often in a row is given up instead of taking down the next one."""

KEEP_DONE = timedelta(days=2)
KEEP_FAILED = timedelta(days=14)

WORDS_KINDS = (Run.Kind.UPDATE, Run.Kind.REBUILD)
"""Jobs that look at every file: after one of them the agent is up to date."""


def request_run(*, agent: Agent, kind: str, reason: str, server: str = "") -> Run:
    """The active run of this kind: the one that waits or works already, else a new one, for `server` alone if named."""
    for _ in range(3):
        active = Run.objects.filter(agent=agent, kind=kind, state__in=Run.ACTIVE).first()
        if active is not None:
            return active
        try:
            with transaction.atomic():
                return Run.objects.create(agent=agent, kind=kind, reason=reason, server=server)
        except IntegrityError:
            continue  # somebody else made it between the look and the write
    raise RuntimeError(f"run {kind} of {agent.slug} can be neither made nor joined")


def request_pull(*, subject: str, reason: str) -> Run:
    """This server's active download of this model: the one that waits or works already, else a new one."""
    return _server_run(Run.Kind.PULL, subject=subject, reason=reason, unit="MB", server=settings.MEMORY_SERVER_NAME)


def request_backup(*, reason: str) -> Run:
    """The active backup, likewise; `reason` is `request` or `schedule`."""
    return _server_run(Run.Kind.BACKUP, subject="", reason=reason, unit="files", server="")


def _server_run(kind: str, *, subject: str, reason: str, unit: str, server: str) -> Run:
    for _ in range(3):
        active = Run.objects.filter(kind=kind, subject=subject, server=server, state__in=Run.ACTIVE).first()
        if active is not None:
            return active
        try:
            with transaction.atomic():
                return Run.objects.create(kind=kind, subject=subject, reason=reason, unit=unit, server=server)
        except IntegrityError:
            continue  # somebody else made it between the look and the write
    raise RuntimeError(f"the {kind} {subject} can be neither made nor joined")


def request_switch(*, agent: Agent, fingerprint: str) -> Run | None:
    """A rebuild because the embedding set-up is another one now; None when the owner cancelled the last one for it.

    What was built by then is kept: a rebuild that the owner asks for goes on with it.
    """
    reason = f"model {fingerprint}"[: Run._meta.get_field("reason").max_length]
    latest = Run.objects.filter(agent=agent, kind=Run.Kind.REBUILD, reason=reason).first()
    if latest is not None and latest.state == Run.State.CANCELLED:
        return None
    return request_run(agent=agent, kind=Run.Kind.REBUILD, reason=reason)


def mark_dispatched(run: Run) -> None:
    """A message for it was sent; until `DISPATCH_PATIENCE` has passed it is not sent again."""
    run.dispatched_at = common_now()
    Run.objects.filter(pk=run.pk, state=Run.State.QUEUED).update(dispatched_at=run.dispatched_at)


def claim(run_id: int, *, owner: str, lease_seconds: int) -> Run | None:
    """Take the run for `owner`; None when it is gone, finished, not due, or another's whose lease still holds."""
    now = common_now()
    free = Q(state=Run.State.QUEUED) | Q(state=Run.State.RUNNING, lease_until__lt=now)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    claimable = Run.objects.filter(free & due, pk=run_id)
    if _give_up(claimable.filter(attempts__gte=MAX_CLAIMS), run_id, now):
        return None
    claimed = claimable.update(
        state=Run.State.RUNNING,
        lease_owner=owner,
        lease_until=now + timedelta(seconds=lease_seconds),
        started_at=now,
        attempts=F("attempts") + 1,
        not_before=None,
        error="",
    )
    if not claimed:
        return None
    return Run.objects.select_related("agent").filter(pk=run_id, lease_owner=owner, state=Run.State.RUNNING).first()


def heartbeat(run_id: int, *, owner: str, done: int, total: int, unit: str, lease_seconds: int) -> bool:
    """Report progress and extend the lease; False when the run is no longer `owner`'s and the work must stop."""
    lease_until = common_now() + timedelta(seconds=lease_seconds)
    return bool(_held(run_id, owner).update(done=done, total=total, unit=unit, lease_until=lease_until))


def is_cancel_requested(run_id: int) -> bool:
    return Run.objects.filter(pk=run_id, cancel_requested=True).exists()


def requeue(run_id: int, *, owner: str, delay_seconds: float, error: str = "") -> bool:
    """Hand the run back in good order (index busy, model still building); the sweep sends it again after the delay.

    `error` says meanwhile why it waits. False when the run was no longer `owner`'s.
    """
    now = common_now()
    with transaction.atomic():
        if _held(run_id, owner).filter(cancel_requested=True).exists():
            return finish(run_id, owner=owner, state=Run.State.CANCELLED, result={})
        return bool(
            _held(run_id, owner).update(
                state=Run.State.QUEUED,
                lease_owner="",
                lease_until=None,
                dispatched_at=None,
                not_before=now + timedelta(seconds=delay_seconds),
                attempts=0,
                error=error,
            )
        )


def finish(run_id: int, *, owner: str, state: str, result: dict[str, Any], error: str = "") -> bool:
    """End the run as `state` (done, failed, cancelled) and bring its agent's schedule up to date.

    False, with nothing written, when the run was no longer `owner`'s: another worker took it over.
    """
    if state not in (Run.State.DONE, Run.State.FAILED, Run.State.CANCELLED):
        raise ValueError(f"a run cannot finish as {state}")
    with transaction.atomic():
        if not _end(_held(run_id, owner), state=state, result=result, error=error):
            return False
        _after(Run.objects.select_related("agent").get(pk=run_id))
        return True


def cancel(run: Run) -> Run:
    """Cancel a waiting run at once; a running one is asked to stop. One that has ended stays as it is."""
    now = common_now()
    with transaction.atomic():
        waiting = Q(state=Run.State.QUEUED) | Q(state=Run.State.RUNNING, lease_until__lt=now)
        if _end(Run.objects.filter(waiting, pk=run.pk), state=Run.State.CANCELLED, result={}, error=""):
            _after(Run.objects.select_related("agent").get(pk=run.pk))
        else:
            Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(cancel_requested=True)
    run.refresh_from_db()
    return run


def due_agents(now: datetime) -> list[Agent]:
    """Agents to update now: asked for and past their debounce, or past their interval; none that is being updated.

    No more than there is room for, so that who was changed just now does not wait behind thousands: of those asked for
    the latest and the earliest first, half of each, and then those whose time has come. Agents that are new go first.
    """
    active = Run.objects.filter(agent=OuterRef("pk"), kind__in=WORDS_KINDS, state__in=Run.ACTIVE)
    idle = Agent.objects.filter(~Exists(active))
    room = MOST_WAITING - Run.objects.filter(kind__in=WORDS_KINDS, state__in=Run.ACTIVE).count()
    new = idle.filter(next_update_at__isnull=True, last_update_at__isnull=True)
    asked = idle.filter(update_requested_at__isnull=False)
    timely = idle.filter(Q(next_update_at__isnull=True) | Q(next_update_at__lte=now))
    found: dict[int, Agent] = {}
    for agents, share in (
        (new.order_by("-pk"), 2),
        (asked.order_by("-update_requested_at"), 2),
        (asked.order_by("update_requested_at"), 1),
        (timely.order_by(F("next_update_at").asc(nulls_first=True)), 1),
    ):
        take = (room - len(found)) // share if room > 1 else room - len(found)
        due = (agent for agent in agents.iterator() if agent.pk not in found and _is_due(agent, now))
        found |= {agent.pk: agent for agent in islice(due, max(0, take))}
    return list(found.values())


def agents_without_index() -> list[Agent]:
    """Agents that were updated, and whose index file has gone since then or was found damaged.

    One whose last update failed is left to its interval: what keeps an index from being written does so again. Where
    there are several servers, each makes an index when it is asked for the agent.
    """
    if several():
        return []
    folder = index_path("_").parent
    names = {path.name for path in folder.glob("*.sqlite*")}
    seen = Agent.objects.filter(last_update_at__isnull=False, last_error="")
    updated = seen.values_list("slug", flat=True)
    lost = [slug for slug in updated if f"{slug}.sqlite" not in names or damage_mark(index_path(slug)).name in names]
    active = Run.objects.filter(agent=OuterRef("pk"), kind__in=WORDS_KINDS, state__in=Run.ACTIVE)
    found = Agent.objects.filter(~Exists(active), slug__in=lost) if lost else []
    return [agent for agent in found if memory_on(agent.settings)]


def agents_awaiting_embeddings() -> list[Agent]:
    """Agents whose chunks wait for vectors while no embed run is there to give them any."""
    active = Run.objects.filter(agent=OuterRef("pk"), kind=Run.Kind.EMBED, state__in=Run.ACTIVE)
    waiting = Agent.objects.filter(~Exists(active), pending_embeddings__gt=0)
    return [agent for agent in waiting if memory_on(agent.settings)]


def stale_runs(now: datetime, *, server: str = "") -> list[Run]:
    """Runs whose message or worker was lost, or whose delay is over: to be dispatched (again).

    Those of any server with `server` "", else those of that server alone: none of another can take them up.
    """
    unsent = Q(dispatched_at__isnull=True) | Q(dispatched_at__lt=now - DISPATCH_PATIENCE)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    lost = (Q(state=Run.State.QUEUED) & unsent & due) | Q(state=Run.State.RUNNING, lease_until__lt=now)
    return list(Run.objects.select_related("agent").filter(lost, server=server).order_by("id"))


def prune_runs() -> int:
    """Forget ended runs of long ago, but no agent's latest of a kind. Returns how many went."""
    now = common_now()
    latest = Run.objects.values("agent", "kind").annotate(latest=Max("pk")).values("latest")
    old = Q(state=Run.State.DONE, finished_at__lt=now - KEEP_DONE) | Q(
        state__in=(Run.State.FAILED, Run.State.CANCELLED), finished_at__lt=now - KEEP_FAILED
    )
    return Run.objects.filter(old).exclude(pk__in=list(latest.values_list("latest", flat=True))).delete()[0]


def update_interval(agent: Agent) -> timedelta:
    own = read_settings(agent).update_interval_seconds
    return timedelta(seconds=settings.MEMORY_UPDATE_INTERVAL_SECONDS if own is None else own)


def update_debounce(agent: Agent) -> timedelta:
    own = read_settings(agent).update_debounce_seconds
    return timedelta(seconds=settings.MEMORY_UPDATE_DEBOUNCE_SECONDS if own is None else own)


def _held(run_id: int, owner: str) -> Any:
    return Run.objects.filter(pk=run_id, state=Run.State.RUNNING, lease_owner=owner)


def _end(runs: Any, *, state: str, result: dict[str, Any], error: str) -> bool:
    return bool(
        runs.update(state=state, result=result, error=error, finished_at=common_now(), lease_owner="", lease_until=None)
    )


def _give_up(runs: Any, run_id: int, now: datetime) -> bool:
    with transaction.atomic():
        error = f"The worker stopped {MAX_CLAIMS} times while doing this; see the worker's log."
        if not _end(runs, state=Run.State.FAILED, result={}, error=error):
            return False
        _after(Run.objects.select_related("agent").get(pk=run_id))
        return True


def _after(run: Run) -> None:
    """Schedule the agent's next update, keeping any wish that came after the run had started to look."""
    agent, now = run.agent, common_now()
    if agent is None:
        return
    changes: dict[str, Any] = {}
    if run.state == Run.State.DONE and "pending" in run.result:
        changes["pending_embeddings"] = run.result["pending"]
    if run.kind in WORDS_KINDS:
        seen_until = run.started_at or now
        Agent.objects.filter(pk=agent.pk, update_requested_at__lte=seen_until).update(update_requested_at=None)
        changes["next_update_at"] = now + update_interval(agent)
        if run.state == Run.State.DONE:
            changes |= {"last_update_at": now, "last_error": ""}
            if any(run.result.get(count) for count in ("added", "changed", "removed")):
                changes["last_change_at"] = now
        elif run.state == Run.State.FAILED:
            changes["last_error"] = run.error
    elif run.state == Run.State.FAILED and run.kind != Run.Kind.REVIEW:  # which says nothing of the index
        changes["last_error"] = run.error
    if changes:
        Agent.objects.filter(pk=agent.pk).update(**changes)


def _is_due(agent: Agent, now: datetime) -> bool:
    with apart(agent.slug, "looking whether it is due"):
        if not memory_on(agent.settings):
            return False
        if agent.next_update_at is None or agent.next_update_at <= now:
            return True
        quiet_since = agent.last_change_at
        return quiet_since is None or quiet_since <= now - update_debounce(agent)
    return False
