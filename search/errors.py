"""SearchError and its few children: what the engine raises, each with a code and a hint for the owner."""

from search.sentences import in_turn


class SearchError(Exception):
    """Base of every error the engine raises on purpose.

    `code` is a stable snake_case name; `hint` says what the owner can do about it.
    """

    code = "search_error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def advice(self) -> str:
        """What is wrong and what to do, as sentences."""
        return in_turn(self.message, self.hint)


class IndexUnavailable(SearchError):
    """The agent's index file is missing, locked beyond the time limit, or cannot be read."""

    code = "no_index"


class IndexDamaged(IndexUnavailable):
    """A page of the index cannot be read; the next update makes the index again."""


class IndexBusy(SearchError):
    """Another process holds the agent's writer lock."""

    code = "index_busy"


class ModelUnavailable(SearchError):
    """A model cannot answer now: not installed, still building, failing or too slow.

    `kind` is the provider's class of error ("auth", "quota", …), "" for local models; `wait_seconds` says how long
    asking again is useless.
    """

    def __init__(self, message: str, *, hint: str = "", kind: str = "", wait_seconds: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.wait_seconds = wait_seconds


class EmbedderUnavailable(ModelUnavailable):
    """The embedding model cannot answer now."""

    code = "no_query_vector"


class RerankerUnavailable(ModelUnavailable):
    """The reranking model cannot answer now."""

    code = "no_rerank"


class GeneratorUnavailable(ModelUnavailable):
    """The model that writes text cannot answer now."""

    code = "no_generator"


class BadQuery(SearchError):
    """The request cannot be understood; the message names the part that is wrong."""

    code = "bad_query"


class Cancelled(SearchError):
    """The owner cancelled the job; everything committed before stays."""

    code = "cancelled"


class ModelGaveNothing(SearchError):
    """The embedding model answers, but with vectors that cannot be used."""

    code = "no_vectors"


class IdentityChanged(SearchError):
    """The embedder's vectors cannot be compared with those in the index: it must be rebuilt."""

    code = "stale_vectors"
