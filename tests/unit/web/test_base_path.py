"""Below a path of a proxy's: pages, forms, files, cookies, API and MCP, whether the proxy cuts the path off or not."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core import signals
from django.core.handlers.wsgi import WSGIHandler
from django.db import close_old_connections
from django.urls import get_resolver, set_script_prefix

from agents.models import Agent
from memory_appliance.base_path import BasePath
from memory_appliance.settings.options import OWN_ADDRESSES, OptionError, load_options
from tests import cast

Answer = tuple[int, dict[str, str], str]


@pytest.fixture(params=["passed on", "cut off"])
def ask(request: pytest.FixtureRequest, settings: Any, al: Agent) -> Iterator[Any]:
    settings.FORCE_SCRIPT_NAME = "/memory"
    settings.SESSION_COOKIE_PATH = settings.CSRF_COOKIE_PATH = settings.LANGUAGE_COOKIE_PATH = "/memory/"
    set_script_prefix("/memory")
    settings.STATIC_URL = "static/"
    application = BasePath(WSGIHandler(), "/memory")

    def call(method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        told: list[Any] = []
        path, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method, "PATH_INFO": ("/memory" if request.param == "passed on" else "") + path,
            "QUERY_STRING": query, "SERVER_NAME": "home.example", "SERVER_PORT": "80", "HTTP_HOST": "localhost",
            "REMOTE_ADDR": "127.0.0.1", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(), "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": "application/json", **headers,
        }  # fmt: skip
        chunks = application(environ, lambda status, head, *rest: told.append((status, head)))
        text = b"".join(chunks).decode()
        status, head = told[0]
        return (
            int(status.split()[0]),
            {name: value for name, value in head if name != "Set-Cookie"}
            | {"cookies": "; ".join(value for name, value in head if name == "Set-Cookie")},
            text,
        )

    for signal in (signals.request_started, signals.request_finished):
        signal.disconnect(close_old_connections)  # the test's own transaction
    yield call
    for signal in (signals.request_started, signals.request_finished):
        signal.connect(close_old_connections)
    set_script_prefix("/")


def test_a_person_who_is_not_signed_in_is_led_below(ask: Any, owner: cast.Person, admin: Any) -> None:
    status, head, _ = ask("GET", "/")
    assert status == 302 and head["Location"].startswith("/memory/accounts/login/")


def test_every_address_of_a_page_is_below(ask: Any, admin: Any) -> None:
    status, head, text = ask("GET", "/accounts/login/")
    assert status == 200 and "Path=/memory/" in head["cookies"]
    addresses = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', text)
    assert addresses and all(address.startswith("/memory/") for address in addresses), addresses


def test_programs_find_api_health_and_mcp(ask: Any, al: Agent) -> None:
    key = {
        f"{name}": value
        for name, value in cast.person("k", agents=["al"], rights=["read"], trusted=True).headers.items()
    }
    status, _, text = ask("POST", "/api/v1/agents/al/search", b'{"query": "key"}', **key)
    assert (status, "results" in json.loads(text)) == (200, True)
    assert json.loads(ask("GET", "/api/v1/agents/none/status", **key)[2])["error"]["code"] == "not_found"
    assert json.loads(ask("GET", "/api/nowhere")[2])["error"]["code"] == "not_found"
    assert "/memory/api/v1/agents" in ask("GET", "/api/v1/openapi.json")[2]
    assert ask("GET", "/health/live")[0] == 200
    message = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    accept = {"HTTP_ACCEPT": "application/json, text/event-stream"}
    assert "memory_search" in ask("POST", "/mcp", message, **key, **accept)[2]
    assert ask("POST", "/mcp", message, **key, HTTP_ORIGIN="https://evil.example")[0] == 403


SERVED = """
import io, os, sys
from memory_appliance.wsgi import application
from django.conf import settings
from django.contrib import admin
seen = []
for path in sys.argv[1:]:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SERVER_NAME": "x", "SERVER_PORT": "80",
               "HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1", "SERVER_PROTOCOL": "HTTP/1.1",
               "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO()}
    for _ in application(environ, lambda status, head, *rest: seen.append(status.split()[0])): pass
print(settings.STATIC_URL, settings.CSRF_COOKIE_PATH, admin.site.site_url, *seen)
"""


def test_a_real_start_serves_files_where_pages_look_for_them(tmp_path: Path) -> None:
    environment = {**os.environ, "MEMORY_DATA_DIR": str(tmp_path), "MEMORY_BASE_PATH": "/memory"}
    environment["DJANGO_SETTINGS_MODULE"] = "memory_appliance.settings"
    file = "/static/memory_appliance/page.css"
    done = subprocess.run(
        [sys.executable, "-c", SERVED, file, f"/memory{file}", "/memory/static/none.css"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["/memory/static/", "/memory/", "/memory/", "200", "200", "404"], done.stderr


def test_every_own_address_is_known_so_that_no_base_path_hides_it() -> None:
    first = {str(entry.pattern).partition("/")[0] for entry in get_resolver().url_patterns} - {""}
    assert first <= OWN_ADDRESSES


@pytest.mark.parametrize("path", ["memory", "/memory/", "/a b", "//", "/?x", "/..", "/a/../b", "/api", "/agents/x"])
def test_a_path_that_is_none_is_refused_at_the_start(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_BASE_PATH", path)
    with pytest.raises(OptionError, match="MEMORY_BASE_PATH"):
        load_options()
