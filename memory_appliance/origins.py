"""KnownOrigins: a page of a strange web site calls nothing here, whichever door it tries.

Programs send no `Origin`; a page's must be this server's own or one of MEMORY_TRUSTED_ORIGINS. At /mcp pages of the
visitor's own machine may call too: tools for developers run there.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import is_same_domain
from django.utils.translation import gettext as _

from memory_appliance import mcp
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import error_response, wants_json
from memory_appliance.web.page import bare_failure

GetResponse = Callable[[HttpRequest], HttpResponse]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"http": 80, "https": 443}
_Origin = tuple[str, str, int | None]


class KnownOrigins:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "Origin" not in request.headers or _is_known(request, request.headers["Origin"]):
            return self.get_response(request)
        if wants_json(request):
            return error_response(
                ErrorCode.FORBIDDEN,
                "Pages of this origin may not call this server.",
                hint="If it is yours, add it to MEMORY_TRUSTED_ORIGINS, such as https://memory.example.",
            )
        return bare_failure(
            request,
            status=ErrorCode.FORBIDDEN.status,
            message=_("Pages of this origin may not call this server."),
            hint=_("If it is yours, add it to MEMORY_TRUSTED_ORIGINS, such as https://memory.example."),
        )


def _is_known(request: HttpRequest, text: str) -> bool:
    origin = _origin(text)
    if origin is None:
        return False
    if origin == _origin(f"{request.scheme}://{request.get_host()}"):
        return True
    if request.path_info in mcp.PATHS and origin[1] in LOOPBACK:
        return True
    return any(_matches(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _matches(origin: _Origin, trusted: str) -> bool:
    """`https://*.home.example` covers every name below, as Django's own check of forms has it."""
    known = _origin(trusted.replace("*", "", 1))
    if known is None:
        return False
    scheme, host, port = known
    return origin[0] == scheme and origin[2] == port and is_same_domain(origin[1], host)


def _origin(text: str) -> _Origin | None:
    """Scheme, host, port; None for what is no origin, such as the `null` of a sandboxed page."""
    try:
        split = urlsplit(text)
        port = split.port
    except ValueError:
        return None
    bare = f"{split.scheme}://{split.netloc}"
    if split.scheme not in _PORTS or not split.hostname or text.lower() != bare.lower() or "@" in split.netloc:
        return None
    return split.scheme, split.hostname, _PORTS[split.scheme] if port is None else port
