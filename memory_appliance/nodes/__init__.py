"""Doors between nodes: requests handed on to the node that owns the agent, and the door that other nodes knock at."""
