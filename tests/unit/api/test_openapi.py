"""The API's own description, and the page that shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from django.test import Client

SNAPSHOT = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"


def test_the_description_is_the_one_that_was_agreed(client: Client) -> None:
    """After a wanted change: `manage.py export_openapi_schema --api memory_appliance.api.api.api --indent 2`."""
    served = client.get("/api/v1/openapi.json").json()
    assert served == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


def test_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/api/docs")
    assert page.status_code == 200
    links = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())
    assert links and all(link.startswith("/static/ninja/") for link in links)
    assert "//" not in page["Content-Security-Policy"]
    assert "script-src 'self';" in page["Content-Security-Policy"]
