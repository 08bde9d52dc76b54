"""What the rules refuse: each refusal has a stable code, a sentence, a hint and, where one is to blame, a field."""

from __future__ import annotations

from search.sentences import sentence


class RuleError(Exception):
    """Base of every refusal. Doors translate it: the API into its one error shape, the CLI into one line."""

    code = "rule_error"

    def __init__(self, message: str, *, hint: str = "", field: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        if code:
            self.code = code


class Invalid(RuleError):
    """A value cannot be used (HTTP 422)."""

    code = "invalid_value"


class NotFound(RuleError):
    """There is no such thing, or the caller may not know of it (HTTP 404)."""

    code = "not_found"


class Conflict(RuleError):
    """The request is sound but does not fit what is there (HTTP 409)."""

    code = "conflict"


class MemoryDisabled(Conflict):
    """The agent's memory is switched off (HTTP 409)."""

    code = "memory_disabled"

    def __init__(self, slug: str) -> None:
        super().__init__(
            sentence("The memory of agent {slug} is switched off.", slug=slug),
            hint=sentence("Set memory_enabled to true in the agent's settings."),
        )


class WorkspaceUnwritable(RuleError):
    """The workspace or the folder of kept copies cannot be written: disk full, read-only, no right (HTTP 503)."""

    code = "workspace_unwritable"
