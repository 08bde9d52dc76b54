"""Faults, really done to a whole server of its own, and what its callers saw meanwhile."""
