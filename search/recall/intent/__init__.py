"""Recall intent: whether a message needs something from earlier conversations or notes."""

from search.recall.intent.evidence import CueWords, cue_words
from search.recall.intent.judge import THRESHOLD, IntentVerdict, judge_intent

__all__ = ["THRESHOLD", "CueWords", "IntentVerdict", "cue_words", "judge_intent"]
