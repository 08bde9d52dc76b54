"""MCP at /mcp: the memory as tools, prompts and resources, through the same gates as the API."""

from __future__ import annotations

PATHS = frozenset({"/mcp", "/mcp/"})
"""With and without a slash at the end: clients and proxies write either."""
