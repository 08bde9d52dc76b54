"""Flush: a conversation that is about to be compacted becomes notes, and all of it stays searchable."""

from agents.flush.run import Flushed, flush
from agents.flush.write import Written

__all__ = ["Flushed", "Written", "flush"]
