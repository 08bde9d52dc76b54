"""Who may make the first owner: somebody at this machine itself, or somebody who holds the printed admin key.

Only while there is nobody at all. What passes a proxy is never local, and a page that was asked for under another
name than the machine's own may have been brought here by somebody else's site.
"""

from __future__ import annotations

import hmac
import re
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest

from agents.access.secrets import find_key, may
from memory_appliance.admission.throttles import KEY_FAILURES, refuse_when_used_up, take
from memory_appliance.proxies import FORWARDED_BY_STRANGER, PEER, is_trusted_proxy

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
SIGNS_OF_A_PROXY = ("HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_CF_CONNECTING_IP", "HTTP_X_CLUSTER_CLIENT_IP")
MAX_SECRET_CHARS = 512
_PORT = re.compile(r":[0-9]+\Z")


def is_local(request: HttpRequest) -> bool:
    """The browser runs on the machine that the server runs on."""
    peer = str(request.META.get(PEER) or request.META.get("REMOTE_ADDR", ""))
    passed_on = bool(request.META.get(FORWARDED_BY_STRANGER)) or any(name in request.META for name in SIGNS_OF_A_PROXY)
    name = _PORT.sub("", request.get_host())
    return _is_loopback(peer) and not is_trusted_proxy(peer) and not passed_on and name in LOCAL_NAMES


def holds_the_key(request: HttpRequest, secret: str) -> bool:
    """Whether `secret` is an admin key for all agents, or the one that the options name. Raises `TooMany`."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    refuse_when_used_up(KEY_FAILURES, address)
    if secret and len(secret) <= MAX_SECRET_CHARS and (_is_the_option(secret) or _is_fleet_key(secret)):
        return True
    take(KEY_FAILURES, address)
    return False


def _is_fleet_key(secret: str) -> bool:
    key = find_key(secret)
    return key is not None and key.agents == "*" and may(key, "admin")


def _is_the_option(secret: str) -> bool:
    option = settings.OPTIONS.bootstrap_key
    return option is not None and hmac.compare_digest(
        option.get_secret_value().encode("utf-8", "surrogatepass"), secret.encode("utf-8", "surrogatepass")
    )


def _is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
