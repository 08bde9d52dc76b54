"""Consolidation: notes that searches keep using are promoted to MEMORY.md; the reference calls it dreaming."""

from agents.upkeep.consolidation.run import Consolidated, consolidate, consolidate_all

__all__ = ["Consolidated", "consolidate", "consolidate_all"]
