"""mem0's memories as JSON, as `get_all()` answers: a list, or an object with the list in `results`.

Each user's memories become one file, under the day they were made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from agents.imports.found import Found, LeftOut, document
from agents.imports.given import Given
from agents.imports.names import file_name
from agents.imports.reading import Json, listed, named, no_export, others, text, whole
from search.documents.transcripts import one_line
from search.sentences import sentence

_HINT = sentence("Save what get_all() answers as JSON: memories with `id`, `memory`, `user_id` and `created_at`.")
_OWNERS = ("user_id", "agent_id", "app_id", "run_id")


def read(given: Given) -> Iterator[Found]:
    files = named(given, r".+\.json")
    users: dict[str, dict[str, Json]] = defaultdict(dict)
    without = 0
    for name in files:
        value = whole(given, name)
        for at, memory in enumerate(listed(value.get("results") if isinstance(value, dict) else value)):
            if not text(memory.get("memory")).strip():
                without += 1
                continue
            owner = next((text(memory.get(key)) for key in _OWNERS if memory.get(key)), "")
            users[file_name(owner or "memories")][text(memory.get("id")) or f"{name} {at}"] = memory
    if not users:
        raise no_export(given, "mem0", _HINT)
    for user, memories in sorted(users.items()):
        count = sentence("memories: {count}", count=len(memories))
        yield document(", ".join(files), f"{user}.md", _markdown(user, list(memories.values())), count)
    if without:
        yield LeftOut(", ".join(files), sentence("entries without a text in `memory`: {count}", count=without))
    yield from others(given, files, lambda _: sentence("only JSON is imported"))


def _markdown(user: str, memories: list[Json]) -> str:
    ordered = sorted(memories, key=lambda one: (text(one.get("created_at")), text(one.get("id"))))
    out = [f"# mem0: {user}"]
    for day, of_day in groupby(ordered, key=lambda one: text(one.get("created_at"))[:10]):
        lines = [f"- {one_line(text(one.get('memory')))}" for one in of_day]
        out += ["", *([f"## {one_line(day)}", ""] if day else []), *lines]
    return "\n".join(out) + "\n"
