"""ProviderFailed and classify(): what a vendor's error means, whatever shape it came in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

Kind = Literal[
    "auth",
    "quota",
    "rate_limited",
    "too_large",
    "not_found",
    "bad_request",
    "timeout",
    "unreachable",
    "server_error",
    "bad_answer",
]
TRANSIENT: frozenset[Kind] = frozenset({"rate_limited", "timeout", "unreachable", "server_error"})
"""Worth another try by itself; every other kind needs somebody to change something."""

_HINTS: Mapping[Kind, str] = {
    "auth": "Check the provider's key: it is read from the environment or its _FILE.",
    "quota": "Check the plan and the balance at the provider; asking again does not help before.",
    "rate_limited": "The provider asks for a pause; it is tried again by itself.",
    "too_large": "Choose a model with a larger context, or smaller chunks.",
    "not_found": "Check the model's name and the address; with Ollama pull the model first.",
    "bad_request": "Check the model's name and its options.",
    "timeout": "The provider was too slow; it is tried again by itself.",
    "unreachable": "Check the address and the network; it is tried again by itself.",
    "server_error": "The provider has a fault; it is tried again by itself.",
    "bad_answer": "The provider does not speak the expected format: check the address and the model.",
}
_LONGEST_MESSAGE = 200
_LONGEST_PAUSE = 3600.0
_QUOTA = ("insufficient_quota", "exceeded your current quota", "billing", "credit balance", "perday", "payment")
_KEY = ("api_key_invalid", "api key not valid", "invalid_api_key", "invalid api key", "api key is invalid")
_LARGE = re.compile(
    r"context[ _]length|context window|context size|too (large|long|many (tokens|inputs|texts|documents))|batch size"
    r"|max_tokens_per_request|maximum (allowed )?(number of )?(tokens|batch|request|input)"
    r"|exceeds? the (limit|maximum|max)|payload size exceeds|at most \d+ (requests|inputs|texts)"
    r"|larger than the (max|physical batch)|input is too"
)


class ProviderFailed(Exception):
    """A request to a provider did not bring what was asked for. `retry_after` is what the provider asked for."""

    def __init__(self, provider: str, kind: Kind, message: str, *, retry_after: float | None = None) -> None:
        self.kind = kind
        self.message = f"{provider} failed ({kind}): {message}"
        self.hint = _HINTS[kind]
        self.retry_after = retry_after
        super().__init__(self.message)

    @property
    def wait_seconds(self) -> float:
        """How long asking again is probably useless."""
        if self.retry_after is not None:
            return self.retry_after
        return 10.0 if self.kind in TRANSIENT else 60.0


def classify(provider: str, status: int, headers: Mapping[str, str], body: Any, *, secret: str = "") -> ProviderFailed:
    """The error of an answer whose status is not 2xx. `body` is parsed JSON or text. `secret` never gets through."""
    said = " ".join(dict.fromkeys(_words(body)))
    message = _shown(said, secret) or f"HTTP {status}"
    pause = _pause(headers, body)
    return ProviderFailed(provider, _kind(status, said.lower(), pause), message, retry_after=pause)


def _kind(status: int, said: str, pause: float | None) -> Kind:
    if status in (401, 403) or any(sign in said for sign in _KEY):
        return "auth"
    if status == 402 or (status == 429 and _is_quota(said, pause)):
        return "quota"
    if status == 429:
        return "rate_limited"
    if status == 413 or _LARGE.search(said):
        return "too_large"
    if status == 404:
        return "not_found"
    if status in (408, 425) or status >= 500:
        return "server_error"
    return "bad_request"


def _is_quota(said: str, pause: float | None) -> bool:
    """Quota words alone are no proof: some vendors use them for the limit of a minute, and then name a pause."""
    return "perday" in said or "insufficient_quota" in said or (pause is None and any(sign in said for sign in _QUOTA))


def _words(body: Any) -> Iterator[str]:
    """Every word an error says, in all known shapes: `error.message`, `detail`, `message`, `error` as text, …"""
    match body:
        case str():
            yield " ".join(body.split())
        case list():
            for item in body[:5]:
                yield from _words(item)
        case dict():
            for name in ("message", "msg", "error", "detail", "details", "code", "type", "status", "reason"):
                yield from _words(body.get(name))
            for name in ("violations", "quotaId"):
                yield from _words(body.get(name))


def _shown(text: str, secret: str) -> str:
    if secret:
        text = text.replace(secret, "[key]")
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= _LONGEST_MESSAGE else printable[: _LONGEST_MESSAGE - 1] + "…"


def _pause(headers: Mapping[str, str], body: Any) -> float | None:
    """`retry-after-ms`, `Retry-After` as seconds or as a date, or Google's `RetryInfo`; never more than an hour."""
    found = _number(headers.get("retry-after-ms"), 0.001)
    if found is None:
        found = _number(headers.get("retry-after"), 1.0)
    if found is None and headers.get("retry-after"):
        found = _until(headers["retry-after"])
    if found is None:
        found = _retry_info(body)
    return None if found is None else min(max(found, 0.0), _LONGEST_PAUSE)


def _number(text: str | None, unit: float) -> float | None:
    return float(text) * unit if text and re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text) else None


def _until(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _retry_info(body: Any) -> float | None:
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(detail.get("retryDelay"), str):
            return _number(detail["retryDelay"].removesuffix("s"), 1.0)
    return None
