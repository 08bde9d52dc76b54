"""The two legs: keyword.py (FTS5) and vector.py (cosine). Each answers chunk ids with raw scores, best first."""
