"""Recall intent: whether a message needs something from earlier conversations or notes."""

from search.recall.intent.judge import IntentVerdict, judge_intent

__all__ = ["IntentVerdict", "judge_intent"]
