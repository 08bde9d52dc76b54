"""says_something(): whether a query holds more than marks, which a model would give a meaning they do not have."""

from __future__ import annotations

import unicodedata

_MARKS = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sk", "Sm"})
"""Controls, blanks, punctuation and signs; emoji and characters that Unicode is yet to name are not among them."""
_UNREADABLE = "\ufffd"


def says_something(query: str) -> bool:
    return any(char != _UNREADABLE and unicodedata.category(char) not in _MARKS for char in query)
