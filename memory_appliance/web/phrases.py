"""Phrases: what the engine says in fixed English, said in the reader's language; what is not known stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memory_appliance.web.diff import visible

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Phrases:
    """`said`: what the engine says, with `{name}` for a part that varies → the page's sentence with `%(name)s`."""

    def __init__(self, said: Mapping[str, StrOrPromise]) -> None:
        self._said = [(_pattern(template), sentence) for template, sentence in said.items()]

    def of(self, text: str) -> StrOrPromise:
        for pattern, sentence in self._said:
            match = pattern.fullmatch(text)
            if match:
                return sentence % {name: visible(part) for name, part in match.groupdict().items()}
        return visible(text)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))
