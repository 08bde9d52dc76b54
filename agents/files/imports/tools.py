"""Where Claude Code, Codex and OpenClaw keep their memory, as of 2026; a new tool is one more entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Tool = Literal["claude-code", "codex", "openclaw"]
TOOLS: tuple[Tool, ...] = get_args(Tool)


@dataclass(frozen=True, slots=True)
class Layout:
    """`bases` are tried below the folder that is given, "" being that folder itself; patterns are relative to one.

    `marker`: a file at the top of a folder that holds nothing but memory. Such a folder is taken as a whole.
    """

    bases: tuple[str, ...]
    patterns: tuple[str, ...]
    ignore: tuple[str, ...] = ()
    marker: str = "MEMORY.md"


MEMORY_FOLDERS = frozenset({"memory", "memories"})
"""A folder of this name is nothing but memory, whichever tool it belongs to."""

LAYOUTS: dict[Tool, Layout] = {
    "claude-code": Layout(
        ("", ".claude"),
        ("CLAUDE.md", "CLAUDE.local.md", "rules/**/*.md", "memory/**/*.md", "projects/*/memory/**/*.md"),
    ),
    "codex": Layout(("", ".codex"), ("AGENTS.md", "AGENTS.override.md", "memories/**/*.md", "memory/**/*.md")),
    # A workspace has a MEMORY.md too, among files that are no memory. Its diary and reports are the machine's own.
    "openclaw": Layout(
        ("", "workspace", ".openclaw/workspace"),
        ("MEMORY.md", "memory.md", "USER.md", "users/*/USER.md", "memory/**/*.md"),
        ignore=("memory/dreaming/**",),
        marker="",
    ),
}
