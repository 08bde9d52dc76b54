"""Whatever comes in, an error has the one shape and a documented code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from django.test import Client

from agents.models import Agent
from memory_appliance.refusals.codes import ErrorCode
from search.degradations import DEGRADATIONS, DegradationCode
from tests import cast
from tests.unit.api.conftest import Api, error_of

ROOT = Path(__file__).resolve().parents[3]
SEARCH = "/agents/al/search"

DEEP = b'{"query":' + b"[" * 20 + b"]" * 20 + b"}"
DEEPER = b'{"query":' + b"[" * 40 + b"]" * 40 + b"}"
BOTTOMLESS = b"[" * 200_000


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "invalid_value"),
        (b"{", 400, "malformed_json"),
        (b'{"query": "a",}', 400, "malformed_json"),
        (b"query=a", 400, "malformed_json"),
        (b'{"query": "a"} {}', 400, "malformed_json"),
        (b'{"query": "\xff"}', 400, "malformed_json"),
        ('{"query": "中"}'.encode("utf-16"), 400, "malformed_json"),
        (b'{"query": "a\x00"}', 400, "malformed_json"),
        (b'{"query": "a", "query": "b"}', 400, "malformed_json"),
        (b'{"query": "a", "min_score": NaN}', 400, "malformed_json"),
        (b'{"query": "a", "min_score": 1e999}', 422, "invalid_value"),
        (b'{"query": "a", "max_results": ' + b"9" * 5000 + b"}", 400, "malformed_json"),
        (b"[]", 422, "invalid_value"),
        (b"null", 422, "invalid_value"),
        (b'"query"', 422, "invalid_value"),
        (b"7", 422, "invalid_value"),
        (b"{}", 422, "invalid_value"),
        (b'{"query": "a", "limit": 1}', 422, "invalid_value"),
        (b'{"query": {"$ne": ""}}', 422, "invalid_value"),
        (b'{"query": "a", "\\ud800": 1}', 422, "invalid_value"),
        (DEEP, 422, "invalid_value"),
        (DEEPER, 400, "malformed_json"),
        (BOTTOMLESS, 400, "malformed_json"),
        (b'{"query": "' + b"x" * 1024 * 1024 + b'"}', 413, "body_too_large"),
    ],
)
def test_a_bad_body_is_an_error_in_the_one_shape(as_owner: Api, al: Agent, body: bytes, status: int, code: str) -> None:
    response = as_owner.call("POST", SEARCH, body)
    assert (response.status_code, error_of(response)["code"]) == (status, code)


def test_an_unknown_field_is_named_with_where_to_find_the_right_ones(as_owner: Api, al: Agent) -> None:
    error = error_of(as_owner.call("POST", SEARCH, b'{"query": "a", "limit": 1}'))
    assert (error["message"], error["field"]) == ("limit: There is no such field", "limit")
    assert "/api/docs" in error["hint"]


def test_other_wrong_fields_are_named_too_but_not_without_end(as_owner: Api, al: Agent) -> None:
    unknown = ", ".join(f'"f{number}": 1' for number in range(8))
    error = error_of(as_owner.call("POST", SEARCH, f'{{"query": "a", "max_results": "6x", {unknown}}}'.encode()))
    assert error["field"] == "max_results"
    assert error["hint"] == "Wrong too: f0, f1, f2, f3, f4 and 3 more."


@pytest.mark.parametrize(
    "address",
    ["/agents/no", "/agents/AL", "/agents/al%00", "/agents/..%2fal", "/agents/" + "a" * 5000, "/nope", "/agents/", "/"],
)
def test_an_address_that_leads_nowhere(as_owner: Api, al: Agent, address: str) -> None:
    response = as_owner.get(address)
    assert (response.status_code, error_of(response)["code"]) == (404, "not_found")


@pytest.mark.parametrize(("method", "path"), [("GET", SEARCH), ("DELETE", "/agents"), ("TRACE", "/agents/al")])
def test_a_wrong_method_names_the_right_ones(as_owner: Api, al: Agent, method: str, path: str) -> None:
    response = as_owner.call(method, path)
    assert (response.status_code, error_of(response)["code"]) == (405, "method_not_allowed")
    assert response["Allow"]


def test_a_strange_host_is_refused(as_owner: Api) -> None:
    response = as_owner.call("GET", "/agents", HTTP_HOST="evil.example")
    assert (response.status_code, error_of(response)["code"]) == (400, "bad_request")


def test_a_fault_of_the_server_has_the_shape_too_and_tells_nothing(
    client: Client, al: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = cast.person("owner", rights=["admin"])
    monkeypatch.setattr("memory_appliance.api.routes.agents.agent_answer", lambda agent: {}["a fault"])
    client.raise_request_exception = False
    response = Api(client, owner.headers).get("/agents/al")
    assert (response.status_code, error_of(response)["code"]) == (500, "internal_error")
    assert "Traceback" not in response.content.decode()


def test_every_code_is_documented_with_its_status() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d{3}) \|", text, re.MULTILINE))
    assert rows == {code.value: str(code.status) for code in ErrorCode}


def test_every_code_of_the_rules_is_a_code_of_the_api() -> None:
    """Backups have no call of the API: commands and pages tell their refusals."""
    files = (path for path in (ROOT / "agents").rglob("*.py") if "backup" not in path.parts)
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    used = set(re.findall(r'\bcode ?= ?"(\w+)"', sources)) - {"rule_error"}
    assert {"unknown_setting", "conflict"} <= used
    assert used <= {code.value for code in ErrorCode}


def test_every_degradation_has_a_meaning_and_is_documented() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [A-Z]", text, re.MULTILINE)
    assert sorted(rows) == sorted(get_args(DegradationCode)) == sorted(DEGRADATIONS)
