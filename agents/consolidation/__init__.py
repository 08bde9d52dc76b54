"""Consolidation: notes that searches keep using are promoted to MEMORY.md; the reference calls it dreaming."""

from agents.consolidation.run import Consolidated, consolidate, consolidate_all
from agents.consolidation.signals import record_uses

__all__ = ["Consolidated", "consolidate", "consolidate_all", "record_uses"]
