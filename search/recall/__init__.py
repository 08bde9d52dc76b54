"""Active memory: what may be put before a reply, found in time."""
