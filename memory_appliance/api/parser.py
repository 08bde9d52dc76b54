"""StrictJsonParser: reads a request body, and refuses what two readers could understand differently."""

from __future__ import annotations

import json
from typing import Any, NoReturn, cast

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

MAX_DEPTH = 32


class MalformedBody(Exception):
    """The body is not the JSON we read; the message says why."""


class StrictJsonParser(Parser):
    """UTF-8 only, no duplicate keys, no NaN, at most `MAX_DEPTH` levels.

    A lone surrogate escape, which no UTF-8 text can hold, becomes U+FFFD: such a query is odd, not an error.
    """

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        try:
            text = request.body.decode("utf-8")
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_number)
        except UnicodeDecodeError as error:
            raise MalformedBody(f"The body is not UTF-8 (byte {error.start}).") from error
        except json.JSONDecodeError as error:
            raise MalformedBody(
                f"The body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
            ) from error
        except RecursionError as error:
            raise MalformedBody(_TOO_DEEP) from error
        except ValueError as error:
            raise MalformedBody("The body holds a number that is too long.") from error
        if text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            raise MalformedBody(_TOO_DEEP)
        # That it is an object is for the schema to say.
        return cast(dict[str, Any], _without_surrogates(value) if "\\u" in text else value)

    def parse_querydict(
        self, data: MultiValueDict[str, str], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """A parameter with nothing behind its name is not given; only an empty path is a wrong one."""
        given = MultiValueDict({name: [text for text in data.getlist(name) if text or name == "path"] for name in data})
        return super().parse_querydict(
            MultiValueDict({name: texts for name, texts in given.lists() if texts}), list_fields, request
        )


_TOO_DEEP = f"The body is nested deeper than {MAX_DEPTH} levels."


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise MalformedBody("The body names the same key twice in one object.")
    return result


def _number(text: str) -> int | float:
    """JSON knows one kind of number: `8.0` is the whole number that a strict field takes."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedBody(f"{name} is not JSON.")


def _depth(value: Any) -> int:
    """Levels of nesting, counted without recursion."""
    depth, level = 0, [value]
    while level:
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        depth += 1
    return depth


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
