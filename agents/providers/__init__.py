"""Which model does which role for an agent or the server, and the local models that are at hand."""
