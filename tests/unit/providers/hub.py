"""A loopback hub that serves files as real ones do: ranges, redirects, stated checksums, and broken connections."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hub:
    """Serves `content` at every path below /real; any other path redirects there."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: list[tuple[str, str]] = []
        """Path and Range header of every request for the content."""
        self.cut_after: list[int] = []
        """For the next requests: bytes of the body after which the connection breaks."""
        self.statuses: list[int] = []
        self.stated: str = ""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not self.path.startswith("/real"):
                    self.send_response(302)
                    self.send_header("Location", f"/real{self.path}")
                    if hub.stated:
                        self.send_header("X-Linked-Etag", f'"{hub.stated}"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                wanted = self.headers.get("Range", "")
                hub.asked.append((self.path, wanted))
                if hub.statuses:
                    self.send_error(hub.statuses.pop(0))
                    return
                start = int(match.group(1)) if (match := re.match(r"bytes=(\d+)-", wanted)) else 0
                if start and start >= len(hub.content):
                    self.send_error(416)
                    return
                body = hub.content[start:]
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if hub.cut_after:
                    self.wfile.write(body[: hub.cut_after.pop(0)])
                    self.close_connection = True
                    return
                self.wfile.write(body)

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    return  # a client that was cancelled

            def log_message(self, *_: object) -> None:
                """Not to the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def hub_with(content: bytes) -> Iterator[Hub]:
    hub = Hub(content)
    try:
        yield hub
    finally:
        hub.stop()
