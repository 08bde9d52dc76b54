"""The tools, one file each; the list that a key sees is cut from this table."""

from __future__ import annotations

from memory_appliance.mcp.tool import Tool
from memory_appliance.mcp.tools.forget import FORGET
from memory_appliance.mcp.tools.get import GET
from memory_appliance.mcp.tools.note import NOTE
from memory_appliance.mcp.tools.recall import RECALL
from memory_appliance.mcp.tools.search import SEARCH
from memory_appliance.mcp.tools.status import STATUS

TOOLS: tuple[Tool, ...] = (SEARCH, GET, RECALL, NOTE, FORGET, STATUS)
