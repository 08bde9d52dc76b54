"""ErrorCode: every code an answer may carry, with its HTTP status and the hint that goes with it by default."""

from __future__ import annotations

from enum import StrEnum

from search.sentences import sentence


class ErrorCode(StrEnum):
    """Stable names; `docs/errors.md` explains each to the caller."""

    BAD_REQUEST = "bad_request"
    MALFORMED_JSON = "malformed_json"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    AGENT_EXISTS = "agent_exists"
    COLLECTION_EXISTS = "collection_exists"
    KEY_EXISTS = "key_exists"
    KEY_REVOKED = "key_revoked"
    INDEX_BUSY = "index_busy"
    MEMORY_DISABLED = "memory_disabled"
    FILE_CHANGED = "file_changed"
    FILE_EXISTS = "file_exists"
    WORKSPACE_BUSY = "workspace_busy"
    FORGOTTEN = "forgotten"
    REJECTED = "rejected"
    BODY_TOO_LARGE = "body_too_large"
    INVALID_VALUE = "invalid_value"
    PATH_NOT_ALLOWED = "path_not_allowed"
    TOO_MANY_REQUESTS = "too_many_requests"
    LAST_OWNER = "last_owner"
    USER_EXISTS = "user_exists"
    WEAK_PASSWORD = "weak_password"  # noqa: S105 - a code
    NOT_UTF8 = "not_utf8"
    UNKNOWN_SETTING = "unknown_setting"
    UNKNOWN_COLLECTION = "unknown_collection"
    BAD_QUERY = "bad_query"
    INTERNAL_ERROR = "internal_error"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"
    WORKSPACE_UNWRITABLE = "workspace_unwritable"
    QUOTA_EXCEEDED = "quota_exceeded"

    @property
    def status(self) -> int:
        return _TABLE[self][0]

    @property
    def hint(self) -> str:
        return _TABLE[self][1]


_TABLE: dict[ErrorCode, tuple[int, str]] = {
    ErrorCode.BAD_REQUEST: (
        400,
        sentence("Check the address and the headers; a host name must be listed in MEMORY_ALLOWED_HOSTS."),
    ),
    ErrorCode.MALFORMED_JSON: (400, sentence("Send one JSON object in UTF-8.")),
    ErrorCode.UNAUTHORIZED: (
        401,
        sentence("Send the header `Authorization: Bearer <key>` with a key that is still valid."),
    ),
    ErrorCode.FORBIDDEN: (403, sentence("Use a key with the right that this call needs.")),
    ErrorCode.NOT_FOUND: (404, sentence("Check the address; what this key may not see does not exist for it.")),
    ErrorCode.METHOD_NOT_ALLOWED: (405, sentence("Use one of the methods in the `Allow` header.")),
    ErrorCode.CONFLICT: (409, sentence("Read the current state and try again.")),
    ErrorCode.AGENT_EXISTS: (409, sentence("Choose another slug.")),
    ErrorCode.COLLECTION_EXISTS: (409, sentence("Choose another name.")),
    ErrorCode.KEY_EXISTS: (409, sentence("Use another secret.")),
    ErrorCode.KEY_REVOKED: (409, sentence("Create a new key.")),
    ErrorCode.INDEX_BUSY: (409, sentence("A job is writing this index; wait until it ends, or cancel it.")),
    ErrorCode.MEMORY_DISABLED: (409, sentence("Set memory_enabled to true in the agent's settings.")),
    ErrorCode.FILE_CHANGED: (409, sentence("Read the file again, and send the change with its new hash.")),
    ErrorCode.FILE_EXISTS: (409, sentence("Choose another name.")),
    ErrorCode.WORKSPACE_BUSY: (409, sentence("Others are writing in this workspace; try again in a moment.")),
    ErrorCode.REJECTED: (409, sentence("Only the owner can write it.")),
    ErrorCode.FORGOTTEN: (409, sentence("Start again from what is there now.")),
    ErrorCode.BODY_TOO_LARGE: (413, sentence("Send less at once.")),
    ErrorCode.INVALID_VALUE: (422, sentence("Correct the field and send the request again.")),
    ErrorCode.PATH_NOT_ALLOWED: (
        422,
        sentence("Use a real folder inside the data folder or inside MEMORY_ALLOWED_ROOTS."),
    ),
    ErrorCode.NOT_UTF8: (422, sentence("Save the file as UTF-8, or write to another one.")),
    ErrorCode.TOO_MANY_REQUESTS: (
        429,
        sentence("Wait for the seconds that Retry-After names; limits are options of the server."),
    ),
    ErrorCode.LAST_OWNER: (409, sentence("Make somebody else an owner first.")),
    ErrorCode.USER_EXISTS: (409, sentence("Choose another name.")),
    ErrorCode.WEAK_PASSWORD: (422, sentence("Use a longer one, such as four words that do not belong together.")),
    ErrorCode.UNKNOWN_SETTING: (422, sentence("GET the settings to see their names.")),
    ErrorCode.UNKNOWN_COLLECTION: (422, sentence("Name collections that the agent has.")),
    ErrorCode.BAD_QUERY: (422, sentence("Correct the query and send the request again.")),
    ErrorCode.INTERNAL_ERROR: (500, sentence("This is a fault of the server; its log has the details.")),
    ErrorCode.TEMPORARILY_UNAVAILABLE: (503, sentence("Try again in a few seconds.")),
    ErrorCode.QUOTA_EXCEEDED: (507, sentence("Remove files of the agent, or raise its setting disk_quota_mb.")),
    ErrorCode.WORKSPACE_UNWRITABLE: (503, sentence("Free some disk space, or let the server write in the workspace.")),
}
