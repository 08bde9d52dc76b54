"""Model runtimes behind three small protocols: embedder, reranker, generator."""
