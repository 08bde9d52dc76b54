"""clean_line(): a short text from outside that is safe to store and to show on one line."""

from __future__ import annotations

from agents.core.errors import Invalid


def clean_line(text: str, *, field: str, longest: int, required: bool = False) -> str:
    """`text` without blanks around it. Raises `Invalid` for control characters, lone surrogates and too long texts."""
    line = text.strip()
    if any(ord(sign) < 32 or ord(sign) == 127 or 0xD800 <= ord(sign) <= 0xDFFF for sign in line):
        raise Invalid(f"{field} may not hold control characters.", hint="Remove them.", field=field)
    if len(line) > longest:
        raise Invalid(f"{field} has more than {longest} characters.", hint="Shorten it.", field=field)
    if required and not line:
        raise Invalid(f"{field} is empty.", hint="Give it a text.", field=field)
    return line
