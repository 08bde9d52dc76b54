"""Memory health: what grows too large, what is never found, what stands twice or disagrees, what would be promoted."""
