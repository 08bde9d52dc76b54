"""ErrorCode: every code an answer may carry, with its HTTP status and the hint that goes with it by default."""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Stable names; `docs/errors.md` explains each to the caller."""

    BAD_REQUEST = "bad_request"
    MALFORMED_JSON = "malformed_json"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    MEMORY_DISABLED = "memory_disabled"
    BODY_TOO_LARGE = "body_too_large"
    INVALID_VALUE = "invalid_value"
    PATH_NOT_ALLOWED = "path_not_allowed"
    UNKNOWN_COLLECTION = "unknown_collection"
    BAD_QUERY = "bad_query"
    INTERNAL_ERROR = "internal_error"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"

    @property
    def status(self) -> int:
        return _STATUS[self]

    @property
    def hint(self) -> str:
        return _HINTS[self]


_STATUS = {
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.MALFORMED_JSON: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.CONFLICT: 409,
    ErrorCode.MEMORY_DISABLED: 409,
    ErrorCode.BODY_TOO_LARGE: 413,
    ErrorCode.INVALID_VALUE: 422,
    ErrorCode.PATH_NOT_ALLOWED: 422,
    ErrorCode.UNKNOWN_COLLECTION: 422,
    ErrorCode.BAD_QUERY: 422,
    ErrorCode.INTERNAL_ERROR: 500,
    ErrorCode.TEMPORARILY_UNAVAILABLE: 503,
}

_HINTS = {
    ErrorCode.BAD_REQUEST: "Check the address and the headers; a host name must be listed in MEMORY_ALLOWED_HOSTS.",
    ErrorCode.MALFORMED_JSON: "Send one JSON object in UTF-8.",
    ErrorCode.UNAUTHORIZED: "Send the header `Authorization: Bearer <key>` with a key that is still valid.",
    ErrorCode.FORBIDDEN: "Use a key with the right that this call needs.",
    ErrorCode.NOT_FOUND: "Check the address; what this key may not see does not exist for it.",
    ErrorCode.METHOD_NOT_ALLOWED: "Use one of the methods in the `Allow` header.",
    ErrorCode.CONFLICT: "Read the current state and try again.",
    ErrorCode.MEMORY_DISABLED: "Set memory_enabled to true in the agent's settings.",
    ErrorCode.BODY_TOO_LARGE: "Send less at once.",
    ErrorCode.INVALID_VALUE: "Correct the field and send the request again.",
    ErrorCode.PATH_NOT_ALLOWED: "Use a real folder inside the data folder or inside MEMORY_ALLOWED_ROOTS.",
    ErrorCode.UNKNOWN_COLLECTION: "Name collections that the agent has.",
    ErrorCode.BAD_QUERY: "Correct the query and send the request again.",
    ErrorCode.INTERNAL_ERROR: "This is a fault of the server; its log has the details.",
    ErrorCode.TEMPORARILY_UNAVAILABLE: "Try again in a few seconds.",
}
