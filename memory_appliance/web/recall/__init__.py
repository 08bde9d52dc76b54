"""Recall: what each turn came to and why, a message tried on the lanes, the phrases that call notes up."""
