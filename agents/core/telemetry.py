"""Who counts what happens: the doors register a counter at start, because imports go down only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class Telemetry(Protocol):
    """Told of each event as it ends. Must be quick, safe from any thread, and never raise."""

    def searched(
        self, *, mode: str, outcome: str, seconds: float, stages_ms: Mapping[str, float], degraded: Iterable[str]
    ) -> None: ...

    def recalled(self, *, status: str, reason: str, lane: str, seconds: float) -> None: ...

    def noted(self, *, duplicate: bool) -> None: ...

    def job_ended(self, *, kind: str, state: str, seconds: float) -> None: ...

    def embedded(self, chunks: int) -> None: ...


class _Silent:
    """Counts nothing: management commands, and the tests that do not ask."""

    def searched(
        self, *, mode: str, outcome: str, seconds: float, stages_ms: Mapping[str, float], degraded: Iterable[str]
    ) -> None:
        return

    def recalled(self, *, status: str, reason: str, lane: str, seconds: float) -> None:
        return

    def noted(self, *, duplicate: bool) -> None:
        return

    def job_ended(self, *, kind: str, state: str, seconds: float) -> None:
        return

    def embedded(self, chunks: int) -> None:
        return


SILENT: Telemetry = _Silent()

_telemetry = SILENT


def set_telemetry(counter: Telemetry) -> None:
    global _telemetry
    _telemetry = counter


def telemetry() -> Telemetry:
    return _telemetry
