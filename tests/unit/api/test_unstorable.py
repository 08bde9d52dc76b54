"""What PostgreSQL cannot store or look up (a zero byte, a text too long for an index): refused in words, no 500."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of

ZERO = "a\0b"
LONG = "".join(map(chr, random.Random(1).sample(range(0x4E00, 0x9FFF), 1000)))  # does not compress
CALLS = [
    ("POST", "/agents/al/notes", {"text": "The cat is called Tom.", "idempotency_key": ZERO}),
    ("POST", "/agents/al/notes", {"text": "The cat is called Tom.", "session": {"key": ZERO}}),
    ("POST", "/keys", {"name": "k", "agents": [ZERO], "rights": ["read"]}),
    ("PUT", "/agents/al/scope", {"default": "deny", "rules": [{"action": "allow", "match": {"key_prefix": ZERO}}]}),
    ("POST", f"/agents/al/transcripts/{quote(ZERO)}/messages", {"messages": [{"role": "user", "text": "Hello"}]}),
    ("POST", f"/agents/al/transcripts/{quote(LONG)}/messages", {"messages": [{"role": "user", "text": "Hello"}]}),
    ("POST", "/agents/al/transcripts/k/messages", {"messages": [{"role": "user", "text": "Hello", "id": ZERO}]}),
    ("POST", "/agents/al/flush", {"session": {"key": LONG}, "cycle": ZERO, "messages": []}),
    ("POST", "/agents/al/forget", {"session_key": ZERO}),
    ("GET", f"/agents/al/files/history?path={quote(ZERO)}", None),
    ("GET", f"/audit?actor={quote(ZERO)}", None),
    ("GET", f"/audit?agent={quote(ZERO)}", None),
    ("GET", f"/runs?agent={quote(ZERO)}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_a_text_that_cannot_be_stored(as_owner: Api, al: Agent, method: str, path: str, body: object) -> None:
    response = as_owner.call(method, path, body)
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert error_of(response)["code"] in ("invalid_value", "path_not_allowed", "not_found"), response.content


def test_a_page_says_so_too(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    client.raise_request_exception = False
    response = client.get(f"/audit?actor={quote(ZERO)}")
    assert response.status_code == 422
