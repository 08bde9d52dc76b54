"""The pages of one agent: how it is, its settings, its collections, its jobs, and what it skipped."""
