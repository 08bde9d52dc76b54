"""Which model an evaluation embeds with: the running server's, else one loaded into this process."""

from __future__ import annotations

from pathlib import Path

from agents.providers.embedding import get_embedder
from search.errors import EmbedderUnavailable
from search.runtime.protocols import Embedder


def evaluation_embedder(models_dir: Path) -> Embedder:
    """Raises `EmbedderUnavailable` when neither can be had."""
    served = get_embedder()
    if served is not None:
        try:
            served.identity()
        except EmbedderUnavailable:
            pass  # no server is running: load the model here
        else:
            return served
    from search.documents.chunker import CHUNKER_VERSION
    from search.runtime.bundled import ensure_bundled
    from search.runtime.llama import LlamaEmbedder
    from search.runtime.presets import BUNDLED

    return LlamaEmbedder(ensure_bundled(models_dir), BUNDLED, chunker_version=CHUNKER_VERSION)
