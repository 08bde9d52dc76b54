"""DescribedApi: the API's description, completed by what is true of every call: errors, parameters, examples."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from memory_appliance.api.examples import EXAMPLES
from memory_appliance.api.schemas.errors import ErrorAnswer
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import error_body

PARAMETERS: dict[str, tuple[str, Any]] = {
    "slug": ("The agent.", "home"),
    "name": ("The collection.", "house-notes"),
}
"""Parameters of addresses whose name alone does not say what they are, each with an example."""

_TEXT = {"schema": {"type": "string"}}
FILES: dict[str, dict[str, Any]] = {
    "export": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    "export_audit": {"application/x-ndjson": _TEXT, "text/csv": _TEXT},
}
"""Calls that answer with a file, and what it is."""


class DescribedApi(NinjaAPI):
    """Every address that needs a key has the same errors; no route has to repeat them."""

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        components: dict[str, Any] = schema["components"]
        components["schemas"] |= _error_schemas()
        components["responses"] = {f"Error{status}": _error_response(status) for status in sorted(_statuses())}
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                _complete(operation, method, path)
        return schema


def _statuses() -> set[int]:
    return {code.status for code in ErrorCode}


PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}
"""As RFC 9110 has them; `HTTPStatus` has older ones before Python 3.13."""


def _error_schemas() -> dict[str, Any]:
    schema = ErrorAnswer.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "ErrorAnswer": schema}


def _error_response(status: int) -> dict[str, Any]:
    codes = [code for code in ErrorCode if code.status == status]
    phrase = PHRASES.get(status) or HTTPStatus(status).phrase
    response: dict[str, Any] = {
        "description": f"{phrase}: {', '.join(f'`{code}`' for code in codes)}.",
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorAnswer"},
                "examples": {
                    str(code): {"value": error_body(code, "What is wrong, in one sentence.")} for code in codes
                },
            }
        },
    }
    if status in (429, 503):
        response["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}
        }
    return response


def _complete(operation: dict[str, Any], method: str, path: str) -> None:
    body = operation.get("requestBody")
    parameters = operation.get("parameters", [])
    possible = {400, 401, 403, 429, 500, 503}
    if "{" in path or body:
        possible.add(404)
    if "{" in path or method != "get":
        possible.add(409)
    if body:
        possible.add(413)
    if body or parameters or method != "get":
        possible.add(422)
    responses = {str(status): response for status, response in operation["responses"].items()}
    errors = {
        str(status): {"$ref": f"#/components/responses/Error{status}"} for status in sorted(possible & _statuses())
    }
    operation["responses"] = {**responses, **{status: errors[status] for status in errors if status not in responses}}
    if operation["operationId"] in FILES:
        responses["200"]["content"] = FILES[operation["operationId"]]
    for parameter in parameters:
        if parameter["in"] == "path" and parameter["name"] in PARAMETERS:
            parameter["description"], parameter["example"] = PARAMETERS[parameter["name"]]
    example = EXAMPLES.get(operation["operationId"])
    if body and example is not None:
        body["content"]["application/json"]["example"] = example
