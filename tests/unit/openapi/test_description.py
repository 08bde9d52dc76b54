"""The description is complete: every call names its errors, every body has an example that its schema takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from memory_appliance.api.api import api
from memory_appliance.api.examples import EXAMPLES
from memory_appliance.refusals.codes import ErrorCode


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return api.get_openapi_schema()


def _calls(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, call in methods.items():
            yield method, path, call


def test_every_call_explains_itself_and_names_its_errors(schema: dict[str, Any]) -> None:
    for method, path, call in _calls(schema):
        always = {"400", "401", "403", "500", "503"} | ({"404"} if "{" in path else set())
        assert always <= set(call["responses"]), (method, path)
        assert call["security"] == [{"ApiKeyAuth": []}], (method, path)


def test_every_body_has_an_example_that_its_schema_takes(schema: dict[str, Any]) -> None:
    for method, path, call in _calls(schema):
        if "requestBody" in call:
            content = call["requestBody"]["content"]["application/json"]
            assert "example" in content, f"{method} {path}: add {call['operationId']} to api/examples.py"
            jsonschema.validate(content["example"], {**content["schema"], "components": schema["components"]})


def test_there_is_no_example_of_a_call_that_is_gone(schema: dict[str, Any]) -> None:
    assert set(EXAMPLES) <= {call["operationId"] for _, _, call in _calls(schema)}


def test_every_code_has_an_example_of_its_answer(schema: dict[str, Any]) -> None:
    shown = {
        (int(name.removeprefix("Error")), code)
        for name, response in schema["components"]["responses"].items()
        for code in response["content"]["application/json"]["examples"]
    }
    assert shown == {(code.status, code.value) for code in ErrorCode}


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    for reference in set(re.findall(r"'\$ref': '#/([^']+)'", str(schema))):
        place: Any = schema
        for part in reference.split("/"):
            place = place[part]
        assert place, reference
