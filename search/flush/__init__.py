"""Flush: from a conversation to the few sentences that are worth a note."""

from search.flush.choose import Choice, Kind, choose
from search.flush.meaning import Meaning

__all__ = ["Choice", "Kind", "Meaning", "choose"]
