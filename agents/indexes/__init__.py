"""From an agent's rows to its index: the engine's spec, catching up with other servers, indexing a write."""
