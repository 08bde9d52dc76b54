"""One SQLite file per agent: files, chunks, words, vectors, cache, meta. Derived: delete it and it comes back."""
