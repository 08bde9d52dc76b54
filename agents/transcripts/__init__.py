"""Transcripts: every turn of every chat, stored as it came and searchable under the privacy rules."""

from agents.transcripts.conversation import read_conversation
from agents.transcripts.forgetting import erase_transcript, prune_transcripts
from agents.transcripts.reset import ResetNote, reset_session
from agents.transcripts.store import Stored, store_lines, store_turns

__all__ = [
    "ResetNote",
    "Stored",
    "erase_transcript",
    "prune_transcripts",
    "read_conversation",
    "reset_session",
    "store_lines",
    "store_turns",
]
