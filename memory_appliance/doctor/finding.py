"""Finding: what one check saw, how bad it is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`seen` is what was really found, never what is set; `todo` is "" where there is nothing to do."""

    id: str
    title: str
    level: Level
    seen: str
    todo: str = ""
    seconds: float = 0.0


def worst(findings: tuple[Finding, ...] | list[Finding]) -> Level:
    """`problem`, `warning` or `ok`: what the whole run comes to. What was skipped does not count."""
    levels = {finding.level for finding in findings}
    return next((level for level in ("problem", "warning") if level in levels), "ok")
