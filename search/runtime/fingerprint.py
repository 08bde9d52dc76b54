"""local_identity(): the digest of everything that makes two vectors of a local model comparable."""

from __future__ import annotations

import hashlib
import json

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
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return EmbeddingIdentity(provider=PROVIDER, model=preset.id, dims=preset.dims, fingerprint=digest[:16])
