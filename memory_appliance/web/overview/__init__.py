"""The first page: every agent and the server at a glance."""
