"""Backups of a server with many notes: how long, how much, and how long it takes to have everything back.

    python -m bench.backup [--agents 10] [--files 1000] [--events 100000]

Synthetic notes of 30 lines and lines of the audit log, in a throw-away data folder. Nothing else runs on it.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from search.evaluation.machine import describe_machine

LINES, WORDS = 30, 12
CHANGED = 10


def measured(label: str, work: Callable[[], str]) -> None:
    began, cpu = time.monotonic(), time.process_time()
    told = work()
    print(f"{label:<28} {time.monotonic() - began:6.1f} s  {time.process_time() - cpu:6.1f} s CPU  {told}", flush=True)


def write_notes(folder: Path, files: int, chance: random.Random) -> None:
    letters = "abcdefghijklmnoprstuvw"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(5_000)]
    for number in range(files):
        lines = (" ".join(chance.choices(vocabulary, k=WORDS)) for _ in range(LINES))
        (folder / f"note-{number}.md").write_text("# Note\n\n" + "".join(f"- {line}\n" for line in lines))


def run(agents: int, files: int, events: int) -> None:
    """Django is set up: the data folder is in the environment."""
    from django.core.management import call_command

    from agents.backup import Backup, find_backup, make_backup
    from agents.backup.restore import restore
    from agents.backup.restore_agent import restore_agent
    from agents.core.actors import CLI
    from agents.models import AuditEvent
    from agents.registry.agents import create_agent

    call_command("migrate", verbosity=0)
    chance = random.Random(1)
    folders = [Path(create_agent(actor=CLI, slug=f"a{number}").workspace) / "memory" for number in range(agents)]
    for folder in folders:
        write_notes(folder, files, chance)
    AuditEvent.objects.bulk_create(AuditEvent(actor="bench", action="bench.line") for _ in range(events))

    def told(made: Backup) -> str:
        return f"{made.files} files, {made.size / 1e6:.1f} MB held, {made.added / 1e6:.2f} MB new"

    measured("first backup", lambda: told(make_backup()))
    measured("nothing changed", lambda: told(make_backup()))
    for number in range(CHANGED):
        with (folders[0] / f"note-{number}.md").open("a") as file:
            file.write("- one line more\n")
    measured(f"{CHANGED} files changed", lambda: told(make_backup()))
    newest = find_backup("latest")
    measured("one agent restored", lambda: restore_agent(newest, "a0", actor=CLI, force=True).backup)
    measured("everything restored", lambda: restore(newest, force=True).backup)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=10)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
        for name in [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]:
            del os.environ[name]
        os.environ |= {"MEMORY_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "memory_appliance.settings"}
        import django

        django.setup()
        print(describe_machine())
        run(chosen.agents, chosen.files, chosen.events)


if __name__ == "__main__":
    main()
