"""Indexes: every file is there and sound by SQLite's own check, beside whoever searches and writes."""

from __future__ import annotations

from agents.core.paths import index_path
from agents.models import Agent
from agents.registry.selectors import get_agent
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.index.damage import is_damaged, mark_damaged
from search.index.driver import DatabaseError
from search.index.verify import index_problems
from search.sentences import sentence

_HEALS = (
    "It is made again from the Markdown within minutes while a worker is alive; at once: manage.py memory index --agent"
)


def _look(visit: Visit) -> Looking:
    slugs = [get_agent(visit.agent).slug] if visit.agent else list(Agent.objects.values_list("slug", flat=True))
    sound = size = missing = 0
    for slug in slugs:
        path = index_path(slug)
        if not path.exists():
            missing += 1
            continue
        if problem := _problem(slug, thorough=not visit.quick):
            yield Seen(
                "problem",
                sentence("{path} is damaged: {problem}.", path=path, problem=problem),
                f"{_HEALS} {slug}",
                slug,
                sentence("Index of {slug}", slug=slug),
            )
        else:
            sound, size = sound + 1, size + path.stat().st_size
    if sound or not slugs:
        yield Seen(
            "ok",
            sentence(
                "{sound} of {count} are sound ({size:.1f} MB).", sound=sound, count=len(slugs), size=size / 1024**2
            ),
        )
    if missing:
        yield Seen(
            "warning",
            sentence("{missing} agents have no index yet.", missing=missing),
            sentence("The next update makes it; see the jobs."),
            "missing",
        )


def _problem(slug: str, *, thorough: bool) -> str:
    path = index_path(slug)
    if is_damaged(path):
        return "a search met a bad page"
    try:
        found = index_problems(path, thorough=thorough)
    except DatabaseError as error:
        return str(error)
    if found:
        mark_damaged(path, OSError(found[0]))
    return found[0] if found else ""


INDEXES = Check("indexes", "Indexes", _look, needs_database=True)
