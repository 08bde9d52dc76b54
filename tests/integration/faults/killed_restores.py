"""`python -m tests.integration.faults.killed_restores FOLDER SCENARIO [--all-lines]`: backups and restores, killed."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.integration.faults.kill_at_every_line import Scenario
from tests.integration.faults.killed_writes import KEY, _agent, _file, _left_over, _start, run

THEN, NOW = "Paint the shed.", "Sell the shed."
RESTORE = ("/backup/restore_agent.py", "/backup/journal.py", "/backup/swap.py")
RESTORE_ALL = ("/backup/restore.py", "/backup/staging.py", *RESTORE[1:])
BACKUP = ("/backup/make.py", "/backup/blocks.py", "/backup/catalog.py", "/backup/control.py", "/backup/copying.py")


def _say(text: str) -> None:
    from agents.transcripts import store_turns
    from agents.workspace import append
    from search.documents.transcripts import Turn
    from tests import cast

    append(agent=_agent(), actor=cast.OWNER, path="memory/plans.md", text=text, origin="agent", index=False)
    store_turns(agent=_agent(), session_key=KEY, turns=[Turn("user", text, id=text)])


def _prepare() -> None:
    from agents.backup import make_backup
    from tests import cast

    cast.agent_with("al", {"MEMORY.md": "# House\n"})
    _say(THEN)
    make_backup()
    _say(NOW)


def _state() -> set[str]:
    """Which of the two texts each place has: the file, the journal's rows, the turns and their rows."""
    from agents.models import TranscriptMessage, WorkspaceWrite
    from agents.transcripts.files import transcripts_dir

    turns = "".join(path.read_text() for path in transcripts_dir(_agent()).rglob("*.jsonl"))
    whole = (NOW in _file().read_text(), WorkspaceWrite.objects.count() == 2)
    return {str(now) for now in (*whole, NOW in turns, TranscriptMessage.objects.count() == 2)}


def _restore_left() -> list[str]:
    from agents.core.paths import data_dir

    return [f"left over: {path.name}" for path in data_dir().iterdir() if "restor" in path.name]


def restoring() -> Scenario:
    def write() -> None:
        from agents.backup import find_backup
        from agents.backup.restore_agent import restore_agent
        from agents.core.actors import CLI

        restore_agent(find_backup("latest"), "al", actor=CLI, force=True)

    return Scenario(_prepare, write, lambda: _look_again(write))


def restoring_all() -> Scenario:
    def write() -> None:
        from agents.backup import find_backup
        from agents.backup.restore import restore

        restore(find_backup("latest"), force=True)

    return Scenario(_prepare, write, lambda: _look_again(write))


def _look_again(write: object) -> list[str]:
    from agents.backup.journal import undo_unfinished
    from memory_appliance.boot.refuse import undo_whole_restore

    undo_whole_restore()
    undo_unfinished()
    _start()
    faults = [*_left_over(), *_restore_left(), *(["files of one time, rows of another"] if len(_state()) > 1 else [])]
    write()  # type: ignore[operator]
    faults += _restore_left()
    return faults if _state() == {"False"} else [*faults, f"after the retry: {_state()}"]


def backing_up() -> Scenario:
    """A second backup: a killed one is none, harms neither the first nor the next, and goes with the next."""

    def write() -> None:
        from agents.backup import make_backup

        make_backup()

    def look() -> list[str]:
        from agents.backup import list_backups, verify_backup
        from agents.backup.catalog import backup_dir, used_blocks

        before = list_backups()
        faults = [] if len(before) in (1, 2) else [f"{len(before)} backups"]
        write()
        found = list_backups()
        faults += [] if len(found) == len(before) + 1 else [f"{len(found)} backups after the next"]
        faults += [f"{one.name} is damaged" for one in found if not verify_backup(one.name).ok]
        blocks = {path.parent.name + path.name for path in backup_dir().glob("blocks/??/*")}
        faults += [f"a block without a backup: {name}" for name in blocks - used_blocks(backup_dir())]
        hidden = {path.name for path in backup_dir().glob(".*")} - {".lock"}
        return [*faults, *(f"left over: {name}" for name in hidden)]

    return Scenario(_prepare, write, look)


SCENARIOS = {"restore": restoring, "restore-all": restoring_all, "backup": backing_up}
ROOMS = {"restore": RESTORE, "restore-all": RESTORE_ALL, "backup": BACKUP}

if __name__ == "__main__":
    run(SCENARIOS[sys.argv[2]], ROOMS[sys.argv[2]], Path(sys.argv[1]))
