"""Flush: from a conversation to the few sentences that are worth a note."""

from search.flush.choose import Choice, Kind, choose, texts_to_embed
from search.flush.meaning import Meaning

__all__ = ["Choice", "Kind", "Meaning", "choose", "texts_to_embed"]
