"""Address: where a provider is and what opens its door; checked_url(): whether a base URL can be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Address:
    """Where a provider is, and what opens its door. The key is shown nowhere."""

    provider: str
    base_url: str
    key: str = field(default="", repr=False)
    lacks: str = ""
    """What is missing before it can be asked at all."""


def checked_url(url: str) -> str:
    """A base URL without its last slash. Raises ValueError, one line, for one that cannot be used."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with http:// or https:// and names a host")
    _ = parts.port  # raises ValueError when it is no port
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address has no user name, no query and no fragment; keys belong into the environment")
    return url.strip().rstrip("/")
