"""Web: the server answers where it is said to listen, and says itself that it is ready."""

from __future__ import annotations

import http.client
import json

from django.conf import settings

from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from memory_appliance.launch.layout import Layout
from search.sentences import sentence

_SECONDS = 5.0


def _look(visit: Visit) -> Looking:
    options = settings.OPTIONS
    url = Layout(options.local_dir, options.host, options.port).url
    try:
        status, checks = _ask(url)
    except (OSError, http.client.HTTPException, ValueError) as error:
        yield Seen(
            "problem",
            sentence("Nobody answers at {url}: {error}.", url=url, error=error),
            sentence(
                "Start the server (make run, or docker compose up -d), or say where it listens: "
                "MEMORY_HOST, MEMORY_PORT. If it runs, its logs/web.log says more."
            ),
        )
        return
    failed = [f"{name}: {check['detail']}" for name, check in checks.items() if check["status"] == "failed"]
    if status != http.HTTPStatus.OK or failed:
        yield Seen(
            "problem", f"{url} answers {status}. {' '.join(failed)}".strip(), sentence("See the findings below.")
        )
    else:
        yield Seen("ok", sentence("{url} answers and is ready.", url=url))


def _ask(url: str) -> tuple[int, dict[str, dict[str, str]]]:
    host = url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=_SECONDS)
    try:
        connection.request("GET", "/health/ready")
        answer = connection.getresponse()
        return answer.status, dict(json.loads(answer.read(100_000))["checks"])
    except KeyError as error:
        raise ValueError("what answers there is not this server") from error
    finally:
        connection.close()


WEB = Check("web", "Web server", _look)
