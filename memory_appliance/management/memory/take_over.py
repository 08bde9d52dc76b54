"""`memory import`: another tool's notes and conversations, from any place of this machine."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from agents.core.actors import CLI
from agents.imports import ImportedFile, Tool, import_memory
from memory_appliance.management.counted import counted
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Output


def take_over(output: Output, *, agent: str | None, source: Tool, path: str, preview: bool) -> None:
    row = one_agent(agent)
    found = import_memory(agent=row, actor=CLI, tool=source, path=path, dry_run=preview, on_the_server=True)
    if output.as_json:
        output.answer({"agent": row.slug, **asdict(found)})
        return
    for item in found.items:
        if item.status != "skipped":
            output.line(_line(item))
    for (reason, kind), items in _skipped(found.items).items():
        names = ", ".join(items[:_NAMED]) + (f" and {len(items) - _NAMED} more" if len(items) > _NAMED else "")
        output.remark(f"left out: {counted(len(items), kind)}: {reason}: {names}")
    statuses = Counter(item.status for item in found.items)
    messages = sum(item.messages for item in found.items)
    told = ", ".join(f"{count} {status}" for status, count in statuses.items()) or "nothing"
    output.line(f"{'Preview, nothing is written' if preview else row.slug}: {told}; {counted(messages, 'new message')}")
    if not preview and statuses["new"] + statuses["update"] and not found.indexed:
        output.remark("note: a running server indexes it soon; without one, run `manage.py memory index`")


_NAMED = 10


def _line(item: ImportedFile) -> str:
    place = item.path or f"transcript {item.session_key} ({counted(item.messages, 'new message')})"
    return f"{item.status:<8}  {item.source} → {place}" + (f"  [{item.detail}]" if item.detail else "")


def _skipped(items: tuple[ImportedFile, ...]) -> dict[tuple[str, str], list[str]]:
    """By their reason: a vault has hundreds of pictures."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in items:
        if item.status == "skipped":
            found.setdefault((item.detail, item.kind), []).append(item.source)
    return found
