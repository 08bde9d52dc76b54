"""`python -m memory_appliance.launch.prepare`: everything that comes before the first program, in one process.

`--alone`: nobody else runs on this data folder, so what a worker left behind is that of a dead one.
"""

from __future__ import annotations

import argparse
import os

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from memory_appliance.boot.say import LaunchFailed, fail, say


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m memory_appliance.launch.prepare", description=__doc__)
    parser.add_argument("--alone", action="store_true")
    alone = parser.parse_args().alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
    try:
        django.setup()
        prepare(alone=alone)
    except LaunchFailed as failure:
        return fail(failure)
    except CommandError as error:
        return fail(LaunchFailed(str(error)))
    except (DatabaseError, ImproperlyConfigured) as error:
        return fail(LaunchFailed(f"the control database cannot be used: {str(error).strip()}", hint=_way_out()))
    return 0


def _way_out() -> str:
    from memory_appliance.settings import OPTIONS

    if OPTIONS.database_url is not None:
        return "start PostgreSQL, or set DATABASE_URL right; the user needs the right to create tables there"
    return "manage.py doctor says more; manage.py restore latest --force brings back the last backup"


def prepare(*, alone: bool) -> None:
    """Safe to repeat, and from several starts at once. Raises `LaunchFailed` with the way out."""
    from agents.backup.journal import undo_unfinished
    from agents.core.paths import data_dir
    from agents.setup.moved import follow_data_folder
    from memory_appliance.boot.lock import starting_alone
    from memory_appliance.boot.migrate import migrate
    from memory_appliance.boot.refuse import refuse_unfit, undo_whole_restore
    from memory_appliance.boot.repair import ended_uncleanly, repair
    from memory_appliance.boot.wait import wait_for_postgresql
    from memory_appliance.boot.warn import warnings

    wait_for_postgresql()
    with starting_alone(data_dir() / "run"):
        if again := undo_whole_restore():
            say("     a restore was cut short: everything is as it was before")
            say(f"     to do it again, stop the server, then {again}")
        refuse_unfit(data_dir())
        migrate()
        for slug in undo_unfinished():
            say(f"     a restore of {slug} was cut short: everything is as it was before")
        if moved := follow_data_folder():
            say(f"     the data folder was moved: {moved} folders of agents and collections are now below {data_dir()}")
        if ended_uncleanly(alone=alone):
            found = repair()
            say(
                f"     the last run did not end in order: {found.runs} jobs and {found.writes} writes taken up again, "
                f"control database and {found.checked} of {found.indexes} indexes checked"
            )
            for slug in found.damaged:
                say(f"     the index of {slug} is damaged: it is made again from its files")
            for waiting in found.waiting:
                say(f"  ! {waiting}")
        call_command("bootstrap")
    for text in warnings():
        say(f"  ! {text}")


if __name__ == "__main__":
    raise SystemExit(main())
