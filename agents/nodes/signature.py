"""How a node proves to another who it is: a header with what it says, the time, and a MAC by the shared secret."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from pydantic import SecretStr

HEADER = "X-Memory-Node"
CLOCK_SECONDS = 60
"""How far the clocks of two nodes may be apart, and how long a header that was overheard could be sent again."""


class NotSigned(Exception):
    """The header is not one that a node of this fleet made for this node and this request."""


@dataclass(frozen=True, slots=True)
class Hop:
    """What a node says of a request that it sends or hands on.

    `peer`, `scheme` and `waited_ms` are how the client reached it: whose connection, by which scheme, how long ago.
    """

    sender: str
    to: str
    peer: str = ""
    scheme: str = "http"
    waited_ms: int = 0


def sign(hop: Hop, method: str, target: str, *, now: float | None = None) -> str:
    """The header's value for a request to `target`, which is the path with its query as it is sent."""
    said = urlencode({**asdict(hop), "at": int(time.time() if now is None else now)})
    return f"{said}&mac={_mac(said, method, target)}"


def verify(value: str, method: str, target: str, *, own: str) -> Hop:
    """Raises `NotSigned`; the message is for the log."""
    said, _, mac = value.rpartition("&mac=")
    if not hmac.compare_digest(mac.encode("utf-8", "replace"), _mac(said, method, target).encode()):
        raise NotSigned("the signature is wrong")
    fields = dict(parse_qsl(said, keep_blank_values=True))
    if fields["to"] != own:
        raise NotSigned("it was made for another node")
    if abs(time.time() - int(fields["at"])) > CLOCK_SECONDS:
        raise NotSigned("it is too old, or the clocks differ")
    return _hop(fields)


def _hop(fields: Mapping[str, str]) -> Hop:
    return Hop(fields["sender"], fields["to"], fields["peer"], fields["scheme"], int(fields["waited_ms"]))


def _mac(said: str, method: str, target: str) -> str:
    secret: SecretStr | None = settings.MEMORY_NODE_SECRET
    if secret is None:
        raise NotSigned("this server is no node")
    text = "\n".join((method, target, said)).encode("utf-8", "surrogateescape")
    return hmac.new(secret.get_secret_value().encode(), text, hashlib.sha256).hexdigest()
