"""The pages in a real Chromium, against the running server."""
