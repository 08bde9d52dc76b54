"""What an index, a search and a collection are: frozen values with their defaults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Source = Literal["memory", "sessions"]
Mode = Literal["search", "vsearch", "hybrid", "query"]
Corpus = Literal["memory", "sessions", "all"]
Origin = Literal["owner", "agent", "untrusted", "system"]
"""Who stands behind a text: the owner, an agent that wrote it down, nobody known, or the appliance itself."""

OriginLookup = Callable[[Collection[bytes]], Mapping[bytes, Origin]]
"""Line digests (documents/origin.py) → the origin of those lines whose writing was recorded."""

MEMORY_PATTERNS = ("MEMORY.md", "USER.md", "memory/**/*.md")
"""What the built-in `memory` collection takes from an agent's workspace."""

SessionFilter = Callable[[str], bool]
"""Session key of a transcript ("" when it names none) → whether this search may see it."""


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """One folder of files (search/file_types.py says of which types).

    `root` is an absolute real path. `patterns` and `ignore` are globs relative to it. `prefix` is put before a
    file's root-relative path to form the path users see ("" for the built-in `memory` collection, whose paths are
    workspace-relative; "<name>/" for every other). A file of a `sessions` collection names its conversation in its
    front matter: `session: <session key>`.
    """

    name: str
    root: Path
    patterns: tuple[str, ...] = ("**/*.md",)
    ignore: tuple[str, ...] = ()
    source: Source = "memory"
    prefix: str = ""
    include_by_default: bool = True
    curated: tuple[str, ...] = ()
    """Root-relative names that are chunked per entry (`MEMORY.md`, `USER.md` of the built-in collection)."""
    origin: Origin = "owner"
    """Of every line whose writing was not recorded."""
    recorded: OriginLookup | None = field(default=None, compare=False, repr=False)
    """Looks up lines that were written through a door; None when no such record exists."""
    read_only: bool = False
    """Shared by another agent: searched and read, never written."""


@dataclass(frozen=True, slots=True)
class ChunkingSpec:
    """Chunk size and overlap in estimated tokens (four weighted characters each)."""

    tokens: int = 400
    overlap: int = 80


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """What makes two vectors comparable. `fingerprint` is the digest of all of it and is stored with the index."""

    provider: str
    model: str
    dims: int
    fingerprint: str


class PackedText(NamedTuple):
    """Vectors as an index keeps them: of a text with this SHA-256, and of its tokens in this version, if it has any."""

    hash: bytes
    parts: bytes
    version: int | None
    bits: bytes | None


class CommonVectors(Protocol):
    """What all servers have embedded of one agent, by the embedding set-up's fingerprint."""

    def fetch(self, fingerprint: str, digests: Sequence[bytes]) -> Sequence[PackedText]: ...

    def keep(self, fingerprint: str, rows: Sequence[PackedText]) -> None: ...

    def drop(self, digests: Sequence[bytes]) -> None: ...


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """One agent's index: where it lies, what goes into it, and how it is cut."""

    agent: str
    path: Path
    collections: tuple[CollectionSpec, ...]
    chunking: ChunkingSpec = ChunkingSpec()
    timezone: str = "UTC"
    vector_sources: tuple[Path, ...] = ()
    """Index files of other agents that vectors of equal texts may be taken from."""
    tokens: bool = True
    """Whether vectors of tokens are kept for late interaction, where the model gives any."""
    common: CommonVectors | None = None
    """Where several servers share what each of them embeds."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Collections that must not be read, by name, with the reason: the index holds nothing of them but a problem."""


@dataclass(frozen=True, slots=True)
class RankingSpec:
    """What an owner or a request asks of the ranking; None leaves a number to the profile (rank/profiles.py)."""

    profile: str = "default"
    vector_weight: float | None = None
    keyword_weight: float | None = None
    late_interaction: bool = True
    """Whether the vectors of single tokens count (profile `default`, models that give any)."""
    decay: Literal["off", "exponential", "gentle"] | None = None
    half_life_days: float | None = None
    importance: bool | None = None
    mmr: bool | None = None
    mmr_lambda: float | None = None
    candidates: int | None = None
    """Chunks that each leg contributes."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search, already allowed by the gate."""

    query: str
    mode: Mode = "hybrid"
    max_results: int = 6
    min_score: float = 0.35
    keyword_fill: bool = False
    """Whether chunks below `min_score` fill the list for the words of the query that they hold."""
    collections: tuple[str, ...] | None = None
    """None: every collection with `include_by_default`."""
    corpus: Corpus = "memory"
    explain: bool = False
    abstain: bool = False
    intent: str = ""
    citations: bool = False
    """Whether hits carry a citation and the snippet its source line (`auto` was resolved by the caller)."""
    projects: tuple[str, ...] = ()
    visible_session: SessionFilter | None = None
    """Which transcripts this search may see; None: all."""
    deadline_ms: int = 30_000
    embed_timeout_ms: int = 1_500
    """How long the query's embedding may take before the keyword results go out alone."""
    now: datetime | None = None
    """Time-zone aware; None means the real clock."""
    snippet_chars: int = 1300
    ranking: RankingSpec = field(default_factory=RankingSpec)
