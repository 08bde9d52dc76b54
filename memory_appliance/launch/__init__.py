"""From a fresh clone to a running server: set-up, checks, the supervisor, and words for the owner all along.

`uv.py`, `setup.py` and `say.py` run before any package is installed: they import the standard library alone.
"""
