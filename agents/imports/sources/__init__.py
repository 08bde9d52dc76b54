"""What can be imported: one file each, one row each."""

from __future__ import annotations

from typing import Literal, get_args

from agents.imports.found import Source
from agents.imports.sources import basic_memory, chatgpt, claude, layouts, mem0, notion, obsidian

Tool = Literal["claude-code", "codex", "openclaw", "chatgpt", "claude", "obsidian", "notion", "mem0", "basic-memory"]
TOOLS: tuple[Tool, ...] = get_args(Tool)

SOURCES: dict[Tool, Source] = {
    "claude-code": layouts.claude_code,
    "codex": layouts.codex,
    "openclaw": layouts.openclaw,
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "obsidian": obsidian.read,
    "notion": notion.read,
    "mem0": mem0.read,
    "basic-memory": basic_memory.read,
}
