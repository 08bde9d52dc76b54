"""`python -m tests.integration.faults.killed_restores FOLDER SCENARIO`: the restore of one agent, killed."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.integration.faults.kill_at_every_line import Scenario
from tests.integration.faults.killed_writes import KEY, _agent, _file, _left_over, _start, run

THEN, NOW = "Paint the shed.", "Sell the shed."
RESTORE = ("/backup/restore_agent.py", "/backup/journal.py", "/backup/swap.py")


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


def restoring() -> Scenario:
    def write() -> None:
        from agents.actors import CLI
        from agents.backup import find_backup
        from agents.backup.restore_agent import restore_agent

        restore_agent(find_backup("latest"), "al", actor=CLI, force=True)

    def look() -> list[str]:
        from agents.backup.journal import undo_unfinished, unfinished_restores

        undo_unfinished()
        _start()
        faults = [*_left_over(), *(["files of one time, rows of another"] if len(_state()) > 1 else [])]
        faults += [f"unfinished: {path}" for path in unfinished_restores()]
        write()
        return faults if _state() == {"False"} else [*faults, f"after the retry: {_state()}"]

    return Scenario(_prepare, write, look)


SCENARIOS = {"restore": restoring}

if __name__ == "__main__":
    run(SCENARIOS[sys.argv[2]], RESTORE, Path(sys.argv[1]))
