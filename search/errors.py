"""SearchError and its few children: what the engine raises, each with a code and a hint for the owner."""


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
        return f"{self.message.rstrip('.')}. {self.hint}".strip()


class IndexUnavailable(SearchError):
    """The agent's index file is missing, locked beyond the time limit, or cannot be read."""

    code = "no_index"


class IndexBusy(SearchError):
    """Another process holds the agent's writer lock."""

    code = "index_busy"


class EmbedderUnavailable(SearchError):
    """The embedding model cannot answer now: not installed, still building, failing or too slow."""

    code = "no_query_vector"


class BadQuery(SearchError):
    """The request cannot be understood; the message names the part that is wrong."""

    code = "bad_query"


class Cancelled(SearchError):
    """The owner cancelled the job; everything committed before stays."""

    code = "cancelled"


class IdentityChanged(SearchError):
    """The embedder's vectors cannot be compared with those in the index: it must be rebuilt."""

    code = "stale_vectors"
