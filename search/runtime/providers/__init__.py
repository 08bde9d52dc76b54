"""Models behind HTTP: one file per vendor says how its requests and answers look, the rest is the same for all."""
