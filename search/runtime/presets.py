"""The registry of local models: which file, which prompts, which shape, under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from search.sentences import sentence

Role = Literal["embed", "rerank", "generate"]
Pooling = Literal["mean", "cls", "last", "rank", "none"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The cosines of this model that count as 0 (unrelated) and as 1 (certainly meant).

    Of queries as the default ranking compares them: without their language where the model has centres.
    """

    floor: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Preset:
    """One model as the product runs it.

    `repo` names where the file is published; "" means that it is converted from a bundled package. `sha256` and
    `bytes` are None where no trustworthy value has been recorded yet; `about_mb` is the size then. `context` is in
    tokens. The prompts are templates with one `{text}`. `dims` is 0 for models that make no vectors.
    """

    id: str
    role: Role
    filename: str
    licence: str
    context: int
    repo: str = ""
    sha256: str | None = None
    bytes: int | None = None
    about_mb: int = 0
    dims: int = 0
    pooling: Pooling = "none"
    query_prompt: str = "{text}"
    document_prompt: str = "{text}"
    calibration: Calibration = Calibration(floor=0.0, ceiling=1.0)
    late: Calibration | None = None
    """The same of MaxSim, for models that are run without pooling, so that each token's vector is there too
    (runtime/tokens). Only for models whose pooling is nothing but the mean."""


BUNDLED = Preset(
    id="multilingual-e5-small-q4",
    role="embed",
    filename="multilingual-e5-small-Q4_0.gguf",
    licence="MIT",
    sha256="655c3d9fb3827fed23a42ec5cdf00b3a706422b2bdddd32fd619eca503d62edd",
    bytes=73_818_880,
    dims=384,
    context=512,
    pooling="mean",
    query_prompt="query: {text}",
    document_prompt="passage: {text}",
    calibration=Calibration(floor=0.25, ceiling=0.60),
    late=Calibration(floor=0.24, ceiling=0.58),
)
"""The embedder every installation has: multilingual, 384 dimensions, no download beyond the package index.

Calibration, measured on the questions of docs/ranking.md after the language has been taken out of the query: the
passage that answers lies between 0.34 and 0.58, the best wrong one between 0.34 and 0.55.
"""

_HOME_SERVER = (
    Preset(
        id="embeddinggemma-300m-q8",
        role="embed",
        filename="embeddinggemma-300M-Q8_0.gguf",
        repo="ggml-org/embeddinggemma-300M-GGUF",
        licence="Gemma Terms of Use",
        sha256="b5ce9d77a3fc4b3b39ccb5643c36777911cc4eb46a66962eadfa3f5f60490d63",
        bytes=333_590_944,
        dims=768,
        context=2048,
        pooling="mean",
        query_prompt="task: search result | query: {text}",
        document_prompt="title: none | text: {text}",
    ),
    Preset(
        id="qwen3-embedding-0.6b-q8",
        role="embed",
        filename="Qwen3-Embedding-0.6B-Q8_0.gguf",
        repo="Qwen/Qwen3-Embedding-0.6B-GGUF",
        licence="Apache-2.0",
        sha256="06507c7b42688469c4e7298b0a1e16deff06caf291cf0a5b278c308249c3e439",
        about_mb=639,
        dims=1024,
        context=32_768,
        pooling="last",
        query_prompt=(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:{text}"
        ),
    ),
    Preset(
        id="bge-m3-q8",
        role="embed",
        filename="bge-m3-Q8_0.gguf",
        repo="gpustack/bge-m3-GGUF",
        licence="MIT",
        about_mb=635,
        dims=1024,
        context=8192,
        pooling="cls",
    ),
    Preset(
        id="qwen3-reranker-0.6b-q8",
        role="rerank",
        filename="qwen3-reranker-0.6b-q8_0.gguf",
        repo="ggml-org/Qwen3-Reranker-0.6B-Q8_0-GGUF",
        licence="Apache-2.0",
        about_mb=639,
        context=32_768,
        pooling="rank",
    ),
    Preset(
        id="bge-reranker-v2-m3-q8",
        role="rerank",
        filename="bge-reranker-v2-m3-Q8_0.gguf",
        repo="gpustack/bge-reranker-v2-m3-GGUF",
        licence="Apache-2.0",
        sha256="a43c7c9b11a4c1517e5bf95151960e1621d1b72f7a493364b01e386cf1aaa1d3",
        bytes=635_676_416,
        context=8192,
        pooling="rank",
    ),
    Preset(
        id="qwen3-0.6b-q8",
        role="generate",
        filename="Qwen3-0.6B-Q8_0.gguf",
        repo="Qwen/Qwen3-0.6B-GGUF",
        licence="Apache-2.0",
        sha256="9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        bytes=639_446_688,
        context=32_768,
    ),
    Preset(
        id="qwen3-1.7b-q8",
        role="generate",
        filename="Qwen3-1.7B-Q8_0.gguf",
        repo="Qwen/Qwen3-1.7B-GGUF",
        licence="Apache-2.0",
        about_mb=1834,
        context=32_768,
    ),
    Preset(
        id="qmd-query-expansion-1.7b-q4",
        role="generate",
        filename="qmd-query-expansion-1.7B-q4_k_m.gguf",
        repo="tobil/qmd-query-expansion-1.7B-gguf",
        licence=sentence("see the model card"),
        about_mb=1100,
        context=32_768,
    ),
)
"""Models for a stronger home server. Their recorded checksums are confirmed at the first real download."""

PRESETS = MappingProxyType({preset.id: preset for preset in (BUNDLED, *_HOME_SERVER)})
