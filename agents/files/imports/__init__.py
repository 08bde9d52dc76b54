"""Memory of other tools, copied into memory/imports/<tool>/ without touching the source or overwriting anything."""

from agents.files.imports.copying import Imported, ImportedFile, import_memory
from agents.files.imports.tools import TOOLS, Tool

__all__ = ["TOOLS", "Imported", "ImportedFile", "Tool", "import_memory"]
