"""What other tools have: notes go to memory/imports/<tool>/, conversations to transcripts. Nothing is overwritten."""

from agents.imports.copying import Imported, ImportedFile, import_memory
from agents.imports.sources import TOOLS, Tool

__all__ = ["TOOLS", "Imported", "ImportedFile", "Tool", "import_memory"]
