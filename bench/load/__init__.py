"""The whole server under a rising load of many agents, up to where it has to refuse and beyond."""
