"""The working file: what is so only for now ("I'm at the station", "the build is running"), for two days.

It is Markdown like any note and is searched; each line begins with its day, and the next flush or the night after
takes out those from before yesterday. A person's own lines, which begin otherwise, stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from agents.core.actors import SYSTEM
from agents.core.errors import RuleError
from agents.models import Agent
from agents.workspace import read_content, replace
from agents.workspace.places import today

WORKING = "memory/working.md"
HEADING = "# For now"
KEPT_DAYS = 2
_STATE = re.compile(r"[-*+] (?P<day>\d{4}-\d\d-\d\d): ")


def drop_old_states(agent: Agent, day: date) -> int:
    """Take out what is older than yesterday; returns how many lines. A file that somebody changes now waits."""
    try:
        content = read_content(agent, WORKING)
    except RuleError:
        return 0  # a folder or a symlink by that name: the doctor and the next write say so
    lines = content.text.splitlines(keepends=True)
    oldest = day - timedelta(days=KEPT_DAYS - 1)
    kept = list(_younger(lines, oldest))
    if len(kept) == len(lines) or content.lossy:
        return 0
    try:
        replace(
            agent=agent, actor=SYSTEM, path=WORKING, text="".join(kept), expected_hash=content.hash, origin=None,
            action="working",
        )  # fmt: skip
    except RuleError:
        return 0
    return len(lines) - len(kept)


def drop_all_old_states() -> int:
    """The same for every agent that is at work here, by its own day."""
    return sum(drop_old_states(agent, today(agent)) for agent in Agent.objects.all())


def _younger(lines: list[str], oldest: date) -> Iterator[str]:
    for line in lines:
        match = _STATE.match(line)
        if match is None or match["day"] >= oldest.isoformat():
            yield line
