"""write_export(): all of an agent's Markdown and how the agent is set up, as one zip file."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path
from typing import IO, Any

from django.utils import timezone

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.moments import moment_of
from agents.indexes.specs import scope_of
from agents.models import Agent
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.scan import scan_collection
from search.spec import CollectionSpec

PATTERNS = ("MEMORY.md", "USER.md", "DREAMS.md", "users/*/USER.md", "memory/**/*.md")


def write_export(*, agent: Agent, actor: Actor, file: IO[bytes]) -> int:
    """Files as they are on disk, and `agent.json`, which also names every file that could not be read.

    No keys, no index, no transcripts. Returns the number of Markdown files.
    """
    scan = scan_collection(CollectionSpec("export", Path(agent.workspace), PATTERNS))
    problems = [f"{problem.path}: {problem.problem}" for problem in scan.problems]
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for found in scan.files:
            try:
                data = read_inside(Path(agent.workspace), found.rel)
            except (OSError, PathNotAllowed, FileTooLarge) as error:
                problems.append(f"{found.rel}: {error}")
                continue
            archive.writestr(_entry(found.rel, found.mtime_ns / 1e9), data)
            count += 1
        about = json.dumps(_about(agent, problems), ensure_ascii=False, indent=2)
        archive.writestr(_entry("agent.json", time.time()), about)
    record(actor=actor, action="memory.export", target=agent.slug, agent_slug=agent.slug, detail={"files": count})
    return count


def _entry(name: str, mtime: float) -> zipfile.ZipInfo:
    """A zip's calendar goes from 1980 to 2107."""
    moment = moment_of(mtime).timetuple()[:6]
    entry = zipfile.ZipInfo(name, min(max(moment, (1980, 1, 1, 0, 0, 0)), (2107, 12, 31, 23, 59, 58)))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _about(agent: Agent, problems: list[str]) -> dict[str, Any]:
    scope = scope_of(agent)
    return {
        "slug": agent.slug,
        "name": agent.name,
        "timezone": agent.timezone,
        "settings": agent.settings,
        "scope": {
            "default": scope.default,
            "rules": [{"action": rule.action, "match": rule.match} for rule in agent.scope_rules.all()],
        },
        "collections": [
            {"name": row.name, "path": row.path, "pattern": row.pattern, "kind": row.kind}
            for row in agent.collections.all()
        ],
        "exported_at": timezone.now().isoformat(),
        "left_out": problems,
    }
