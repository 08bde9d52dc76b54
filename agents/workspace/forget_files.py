"""take_out(): a file, or what was written for a chat, goes out of the workspace and its kept versions.

The rest of a forgetting, such as the transcript and the index, is in upkeep/forget.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from agents.core.errors import Conflict
from agents.indexes.index_now import rows_of
from agents.models import Agent, Tombstone, WorkspaceWrite
from agents.workspace import disk
from agents.workspace.forget_plan import Plan, Taken, plan_file, plan_session
from agents.workspace.journal import keep_displaced, writing
from agents.workspace.leftovers import take_up_beside
from agents.workspace.purge import drop_unnamed, purge
from search.sentences import sentence


def finish_files(agent: Agent, mark: Tombstone) -> None:
    """The files and versions of a forgetting that was cut short. The workspace's lock is held.

    What a person has saved at a forgotten path since then is not what was to be forgotten, and stays.
    """
    if mark.step == Tombstone.Step.FILES:
        take_out(agent, target_of(mark), mark=mark, since=mark.at, thorough=True)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    session_key: str


def target_of(mark: Tombstone) -> Target:
    return Target(mark.name, "") if mark.kind == Tombstone.Kind.PATH else Target("", mark.name)


def texts_of(mark: Tombstone) -> list[Taken]:
    return [Taken(**text) for text in mark.taken]


def take_out(
    agent: Agent,
    target: Target,
    *,
    mark: Tombstone | None = None,
    since: datetime | None = None,
    thorough: bool = False,
) -> Plan:
    """Out of the files and the history; without a `mark` it is only planned.

    `since`: when a forgetting began that was cut short; `thorough`: one was, so more than its rows may be left.
    """
    path, session_key = target.path, target.session_key
    take_up_beside(agent, _paths_of(agent, path, session_key))
    gone = {text.path for text in texts_of(mark)} if mark else set()
    plan = plan_file(agent, path, since) if path else plan_session(agent, session_key, gone)
    plan.rows = rows_of(agent, [(text.path, text.start_line, text.end_line) for text in plan.taken])
    if mark is None:
        plan.versions = purge(agent, plan.purge, session_key=session_key, dry_run=True)
        return plan
    now = {text.path for text in plan.taken}
    mark.taken = [*(text for text in mark.taken if text["path"] not in now), *map(asdict, plan.taken)]
    mark.save(update_fields=["taken"])
    _carry_out(agent, plan)
    plan.versions = purge(agent, plan.purge, session_key=session_key, dry_run=False)
    if thorough:
        drop_unnamed(agent)
    mark.step, mark.problem = Tombstone.Step.REST, ""
    mark.save(update_fields=["step", "problem"])
    return plan


def _paths_of(agent: Agent, path: str, session_key: str) -> set[str]:
    if path:
        return {path}
    rows = WorkspaceWrite.objects.filter(WorkspaceWrite.of_chat(session_key), agent=agent)
    return set(rows.values_list("path", flat=True))


def _carry_out(agent: Agent, plan: Plan) -> None:
    root = Path(agent.workspace)
    for path, (before, after) in plan.files.items():
        try:
            with writing(path):
                if after is None:
                    disk.remove_file(root, path, before, keep_displaced(agent, path))
                else:
                    disk.exchange_content(root, path, after, before, keep_displaced(agent, path))
        except (FileNotFoundError, disk.ChangedMeanwhile) as error:
            raise Conflict(
                sentence("{path} was saved by somebody else in the same moment.", path=path),
                hint=sentence("Ask again."),
                code="file_changed",
            ) from error
