"""Processes: worker, clock and watcher have given a sign of life just now."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from search.sentences import sentence
from workers.alive import silent_for

PATIENCE_SECONDS = 30.0
_WHAT = {
    "worker": "changed files are not indexed, nothing is embedded",
    "beat": "no update, backup or nightly care is started by itself",
    "watcher": "changes on disk are found by the periodic update alone",
}


def _look(visit: Visit) -> Looking:
    """By the files that the processes touch: this needs no database."""
    for name, loss in _WHAT.items():
        silence = silent_for(settings.MEMORY_LOCAL_DIR / "run", name)
        if silence is not None and silence <= PATIENCE_SECONDS:
            yield Seen(
                "ok",
                sentence("Alive {silence:.0f} s ago.", silence=silence),
                "",
                name,
                sentence("Process {name}", name=name),
            )
            continue
        since = "It gave no sign of life yet" if silence is None else f"Silent for {_span(silence)}"
        yield Seen(
            "warning" if name == "watcher" else "problem",
            f"{since}: {loss}.",
            sentence(
                "Start the server; if it runs, logs/{name}.log says why this one does not (docker "
                "compose: logs {name}).",
                name=name,
            ),
            name,
            sentence("Process {name}", name=name),
        )


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else str(timedelta(seconds=round(seconds)))


PROCESSES = Check("processes", "Processes", _look)
