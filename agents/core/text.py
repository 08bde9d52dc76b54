"""clean_line(): a short text from outside that is safe to store and to show on one line."""

from __future__ import annotations

from agents.core.errors import Invalid
from search.sentences import sentence


def clean_line(text: str, *, field: str, longest: int, required: bool = False) -> str:
    """`text` without blanks around it. Raises `Invalid` for control characters, lone surrogates and too long texts."""
    line = text.strip()
    if any(ord(sign) < 32 or ord(sign) == 127 or 0xD800 <= ord(sign) <= 0xDFFF for sign in line):
        raise Invalid(
            sentence("{field} may not hold control characters.", field=field),
            hint=sentence("Remove them."),
            field=field,
        )
    if len(line) > longest:
        raise Invalid(
            sentence("{field} has more than {longest} characters.", field=field, longest=longest),
            hint=sentence("Shorten it."),
            field=field,
        )
    if required and not line:
        raise Invalid(sentence("{field} is empty.", field=field), hint=sentence("Give it a text."), field=field)
    return line
