"""The engine: pure Python, numpy, SQLite and model runtimes. Imports no Django and none of the other storeys."""
