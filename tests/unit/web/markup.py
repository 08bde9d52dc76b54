"""squeezed(): a page as a browser takes it, whatever the lines of its templates."""

from __future__ import annotations

import re


def squeezed(page: str) -> str:
    """Runs of spaces and line breaks are one space, and none beside the ends of tags."""
    return re.sub(r" ?(>|<) ?", r"\1", re.sub(r"\s+", " ", page))
