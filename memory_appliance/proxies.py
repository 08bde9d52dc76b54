"""What a proxy in front says of a caller: believed when its address is listed, taken away when it is not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import RemoteUserMiddleware
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from agents.core.actors import Actor
from agents.core.audit import record
from memory_appliance.admission.throttles import Rule, TooMany, take

GetResponse = Callable[[HttpRequest], HttpResponse]

FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED")
PEER = "memory_appliance.peer"
"""META entry: the address at the other end of the connection, whatever stands in `REMOTE_ADDR` by then."""
FORWARDED_BY_STRANGER = "memory_appliance.forwarded_by_stranger"
"""META entry: whether the caller says that it passes on somebody else's request, and is not believed."""

_REFUSALS = Rule("sign-on headers from this address", "MEMORY_FAILED_LOGINS_PER_MINUTE")


class RealAddress:
    """`REMOTE_ADDR` is the client's own address, also behind a trusted proxy."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR", "")
        request.META[PEER] = peer
        if is_trusted_proxy(peer):
            request.META["REMOTE_ADDR"] = _client(request.META.get("HTTP_X_FORWARDED_FOR", ""), peer)
        else:
            dropped = [request.META.pop(name) for name in FORWARDED if name in request.META]
            request.META[FORWARDED_BY_STRANGER] = bool(dropped)
        return self.get_response(request)


class ProxySignOn(RemoteUserMiddleware):
    """Signs in the person that a trusted proxy names; anybody else's header is dropped and noted."""

    def __init__(self, get_response: GetResponse) -> None:
        if not settings.MEMORY_SSO_HEADER:
            raise MiddlewareNotUsed
        super().__init__(get_response)
        self.header = "HTTP_" + settings.MEMORY_SSO_HEADER.upper().replace("-", "_")  # type: ignore[misc] # per server

    def process_request(self, request: HttpRequest) -> None:
        peer = request.META.get(PEER, "")
        if self.header in request.META and not is_trusted_proxy(peer):
            del request.META[self.header]
            _note_refusal(peer)
        super().process_request(request)


class SignOnBackend(RemoteUserBackend):
    """Only people whom the owner has added; a name that is unknown here signs nobody in."""

    create_unknown_user = False


def is_trusted_proxy(address: str) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in _networks(settings.MEMORY_TRUSTED_PROXIES))


def _client(forwarded_for: str, peer: str) -> str:
    """The last address in the chain that is no trusted proxy; what stands before it could be invented."""
    for address in reversed([part.strip() for part in forwarded_for.split(",") if part.strip()]):
        if _parsed(address) is None:
            return peer
        if not is_trusted_proxy(address):
            return address
    return peer


def _note_refusal(peer: str) -> None:
    try:
        take(_REFUSALS, peer)
    except TooMany:
        return  # noted often enough for this minute
    record(actor=Actor("proxy", peer), action="sign_on.denied", detail={"reason": "the address is no trusted proxy"})


@cache
def _networks(names: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(name, strict=False) for name in names)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
