"""local_identity(), remote_identity(): the digest of everything that makes two vectors comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from search.documents.passages import PASSAGES_VERSION
from search.runtime.presets import Preset
from search.spec import EmbeddingIdentity

PROVIDER = "local"
NORMALISATION = "l2"
WINDOWING = "balanced-mean-1"
"""How texts beyond the context become one vector; a new way of doing it gets a new name."""


def local_identity(preset: Preset, *, chunker_version: int) -> EmbeddingIdentity:
    """The same set-up gives the same 16 hex digits on every machine; any change gives others."""
    parts = {
        "provider": PROVIDER,
        "model": preset.id,
        "weights": preset.sha256,
        "dims": preset.dims,
        "context": preset.context,
        "pooling": preset.pooling,
        "query_prompt": preset.query_prompt,
        "document_prompt": preset.document_prompt,
        "normalisation": NORMALISATION,
        "windowing": WINDOWING,
        "chunker": chunker_version,
        "passages": PASSAGES_VERSION,
    }
    return EmbeddingIdentity(PROVIDER, preset.id, preset.dims, _digest(parts))


def remote_identity(
    *,
    provider: str,
    model: str,
    dims: int,
    query_prompt: str,
    document_prompt: str,
    server: str,
    chunker_version: int,
) -> EmbeddingIdentity:
    """`server` is the address of a compatible service: what is called the same there may be another model.

    Of Ollama and of the vendors themselves it is "": a model's name says all, wherever the machine stands.
    """
    parts = {
        "provider": provider,
        "model": model,
        "dims": dims,
        "query_prompt": query_prompt,
        "document_prompt": document_prompt,
        "server": server,
        "normalisation": NORMALISATION,
        "chunker": chunker_version,
        "passages": PASSAGES_VERSION,
    }
    return EmbeddingIdentity(provider, model, dims, _digest(parts))


def _digest(parts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
