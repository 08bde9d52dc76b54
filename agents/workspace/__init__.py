"""The agent's own Markdown: every write of the appliance goes through here, and none overwrites another's."""

from agents.indexes.index_now import index_now
from agents.workspace.reading import Content, read_content
from agents.workspace.writing import Appended, Replaced, append, create, replace

__all__ = ["Appended", "Content", "Replaced", "append", "create", "index_now", "read_content", "replace"]
