"""How an agent's memory fares: what grows too large, what is never found, what stands twice or disagrees."""
