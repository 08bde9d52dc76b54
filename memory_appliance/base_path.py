"""BasePath: the server below a path of a proxy's, whether the proxy cuts the path off or passes it on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class BasePath:
    """Outermost: what is inside sees addresses as if it stood at the top, and Django writes `base` before its own."""

    def __init__(self, application: WSGIApplication, base: str) -> None:
        """`base`: such as `/memory`."""
        self._application = application
        self._base = base

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == self._base or path.startswith(f"{self._base}/"):
            environ["PATH_INFO"] = path[len(self._base) :] or "/"
        environ["SCRIPT_NAME"] = self._base
        return self._application(environ, start_response)
