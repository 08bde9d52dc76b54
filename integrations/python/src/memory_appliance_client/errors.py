"""What a call raises: the API's own error with its code, message and hint, or why there was no answer."""

from __future__ import annotations


class ApplianceError(Exception):
    """`code` is stable and meant for programs (docs/errors.md); `message` says what is wrong, `hint` what to do.

    `field`: the place in the request that is to blame, "" where none is. `status`: of HTTP, 0 without an answer.
    `retry_after`: seconds, where the server named them. `request_id`: stands in the server's log too.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        hint: str = "",
        field: str = "",
        status: int = 0,
        retry_after: int | None = None,
        request_id: str = "",
    ) -> None:
        sentence = message if message.endswith((".", "!", "?")) else f"{message}."
        super().__init__(" ".join(part for part in (sentence, hint, f"({code})" if code else "") if part))
        self.message, self.code, self.hint, self.field = message, code, hint, field
        self.status, self.retry_after, self.request_id = status, retry_after, request_id


class InvalidRequest(ApplianceError):
    """400, 405, 413, 422: the request has to be changed; `field` says where."""


class Unauthorized(ApplianceError):
    """401: the key is missing, unknown, revoked or has run out."""


class Forbidden(ApplianceError):
    """403: the key lacks the right."""


class NotFound(ApplianceError):
    """404: no such agent, run, …, or the key may not know of it."""


class Conflict(ApplianceError):
    """409: sound, but it does not fit what is there, such as `file_changed` or `memory_disabled`."""


class Busy(ApplianceError):
    """409 `workspace_busy`, 429 or 503 after all retries. Nothing was changed; come again after `retry_after`."""


class Unavailable(ApplianceError):
    """5xx: a fault or a full disk of the server. Also what `checked()` raises when there is no index to search."""


class NoAnswer(ApplianceError):
    """Nothing answered, or not in time, or not in the API's shape. Whether the call was carried out is not known."""


class Denied(ApplianceError):
    """The agent's scope rules refuse this chat. The API answers that with HTTP 200; `checked()` raises it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message, code="denied", hint=hint)


def error_class(status: int, retry_after: int | None) -> type[ApplianceError]:
    if retry_after is not None and status in (409, 429, 503):
        return Busy
    known = {401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: Busy}
    return known.get(status) or (Unavailable if status >= 500 else InvalidRequest)
