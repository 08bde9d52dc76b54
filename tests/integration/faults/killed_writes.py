"""`python -m tests.integration.faults.killed_writes FOLDER SCENARIO [--all-lines]`: notes and transcripts, killed.

Prints a line of JSON: how many lines were executed and killed at, and what was wrong after one of them.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.integration.faults.kill_at_every_line import Scenario, kill_at_every_line

SECRET = "heronsgate"
"""No chance bytes of a digest or of a time spell it."""
ROOMS = ("/agents/workspace/", "/agents/transcripts/", "/agents/core/whole_file.py", "/agents/access/provenance.py")
FORGETTING = (
    "/agents/upkeep/forget.py", "workspace/forget_files.py", "workspace/forget_plan.py", "workspace/purge.py",
    "workspace/tombstones.py", "transcripts/forgetting.py",
)  # fmt: skip
KEY = "agent:home:telegram:direct:42"
PLANS = "memory/plans.md"
BEFORE = "- Paint the shed.\r\n"
NOTE = "Buy a ladder."


def run(make: Callable[[], Scenario], rooms: Sequence[str], folder: Path) -> None:
    """On a new data folder; the report goes out as a line of JSON."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "memory_appliance.settings", "MEMORY_DATA_DIR": str(folder)}
    folder.mkdir(parents=True, exist_ok=True)
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connections

    # Imported here, so that only lines of the writes themselves are executed in the children.
    import agents.backup.restore_agent
    import agents.files.history
    import agents.flush
    import agents.transcripts
    import agents.upkeep.consolidation
    import agents.upkeep.forget
    import agents.workspace  # noqa: F401
    import memory_appliance.boot.repair  # noqa: F401
    import tests.cast  # noqa: F401
    from agents.providers.embedding import set_embedder_factory

    set_embedder_factory(lambda: None)
    os.sync = lambda: None  # type: ignore[assignment] - a killed process loses nothing that it wrote
    call_command("migrate", verbosity=0)
    connections.close_all()
    report = kill_at_every_line(make(), data=folder, rooms=rooms, all_lines="--all-lines" in sys.argv)
    print(json.dumps({"lines": report.lines, "killed": len(report.killed), "faults": report.faults}))


def _agent():
    from agents.models import Agent

    return Agent.objects.get(slug="al")


def _file(path: str = PLANS) -> Path:
    return Path(_agent().workspace) / path


def _prepare() -> None:
    from tests import cast

    agent = cast.agent_with("al", {"MEMORY.md": "# House\n"})
    (Path(agent.workspace) / PLANS).parent.mkdir(exist_ok=True)
    (Path(agent.workspace) / PLANS).write_bytes(BEFORE.encode())


def _start() -> None:
    from memory_appliance.boot.repair import repair

    repair()


def _left_over() -> list[str]:
    """What must never be there after a start: hidden files, pending rows, copies that no row names."""
    from agents.core.paths import data_dir
    from agents.models import WorkspaceWrite
    from agents.workspace.reading import digest_of

    hidden = [
        path for room in ("workspaces", "history", "transcripts") for path in (data_dir() / room).rglob("*")
        if path.is_file() and (path.name.startswith(".") or ".new" in path.parts)
    ]  # fmt: skip
    rows = WorkspaceWrite.objects.all()
    named = {digest for row in rows for digest in (row.before, row.after)} | {digest_of(b"")}
    history = data_dir() / "history" / "al"
    copies = {path.parent.name + path.name for path in history.glob("??/*") if path.is_file()}
    return [
        *(f"left over: {path}" for path in hidden),
        *(f"pending: {row.path}: {row.problem}" for row in rows if row.state == "pending"),
        *(f"a copy without a row: {digest}" for digest in copies - named),
    ]


def _writing(write: Callable[[], object], look: Callable[[], list[str]]) -> Scenario:
    def start_and_look() -> list[str]:
        _start()
        return [*_left_over(), *look()]

    return Scenario(_prepare, lambda: (write(), None)[1], start_and_look)


def appending(path: str = PLANS, before: str = BEFORE) -> Scenario:
    def write() -> object:
        from agents.workspace import append
        from tests import cast

        return append(
            agent=_agent(), actor=cast.OWNER, path=path, text=NOTE, origin="agent", idempotency_key="k", index=False
        )

    def look() -> list[str]:
        end = "\r\n" if before.endswith("\r\n") else "\n"
        whole = f"{before}- {NOTE}{end}".encode()
        there = _file(path).read_bytes() if _file(path).exists() else b""
        faults = [] if there in (before.encode(), whole) else [f"after the start: {there!r}"]
        write()
        there = _file(path).read_bytes()
        return faults if there == whole else [*faults, f"after the retry: {there!r}"]

    return _writing(write, look)


def replacing() -> Scenario:
    after = "- All new.\n"

    def write() -> object:
        from agents.workspace import replace
        from agents.workspace.reading import digest_of
        from tests import cast

        return replace(
            agent=_agent(), actor=cast.OWNER, path=PLANS, text=after.encode(), origin="owner", index=False,
            expected_hash=digest_of(_file().read_bytes()),
        )  # fmt: skip

    def look() -> list[str]:
        from agents.models import WorkspaceWrite
        from agents.workspace import objects

        there = _file().read_bytes()
        faults = [] if there in (BEFORE.encode(), after.encode()) else [f"after the start: {there!r}"]
        write()
        kept = {objects.load("al", row.before) for row in WorkspaceWrite.objects.exclude(before="")}
        if _file().read_bytes() != after.encode() or BEFORE.encode() not in kept:
            faults.append(f"after the retry: {_file().read_bytes()!r}, kept: {kept}")
        displaced = WorkspaceWrite.objects.filter(action="displaced").count()
        return [*faults, *(["a version that nobody made"] if displaced else [])]

    return _writing(write, look)


def creating() -> Scenario:
    def write() -> object:
        from agents.core.errors import Conflict
        from agents.workspace import create
        from tests import cast

        try:
            return create(
                agent=_agent(), actor=cast.OWNER, path="memory/a/b.md", text=BEFORE, origin="owner", index=False
            )
        except Conflict as error:
            return error

    def look() -> list[str]:
        file = _file("memory/a/b.md")
        faults = (
            [f"half a file: {file.read_bytes()!r}"] if file.exists() and file.read_bytes() != BEFORE.encode() else []
        )
        write()
        return faults if file.read_bytes() == BEFORE.encode() else [*faults, "not there after the retry"]

    return _writing(write, look)


def _turns(count: int = 3):
    from search.documents.transcripts import Turn

    return [Turn(id=f"t{n}", role="user", at="2026-05-01T10:00:00Z", text=f"turn number {n}") for n in range(count)]


def storing(earlier: int = 0) -> Scenario:
    def prepare() -> None:
        from agents.transcripts import store_turns

        _prepare()
        if earlier:
            store_turns(agent=_agent(), session_key=KEY, turns=_turns(earlier))

    def write() -> object:
        from agents.transcripts import store_turns

        return store_turns(agent=_agent(), session_key=KEY, turns=_turns(earlier + 3))

    def look() -> list[str]:
        _start()
        faults = _left_over()
        write()
        return [*faults, *_whole_transcript(earlier + 3)]

    return Scenario(prepare, lambda: (write(), None)[1], look)


def _whole_transcript(count: int) -> list[str]:
    from agents.models import TranscriptMessage
    from agents.transcripts.files import transcripts_dir

    files = {end: list(transcripts_dir(_agent()).rglob(f"*.{end}")) for end in ("jsonl", "md")}
    faults = []
    for end, paths in files.items():
        text = "\n".join(path.read_text() for path in paths)
        counts = Counter({n: text.count(f"turn number {n}") for n in range(count)})
        faults += [f"turn {n} is {times} times in the {end}" for n, times in counts.items() if times != 1]
    rows = TranscriptMessage.objects.count()
    return faults if rows == count else [*faults, f"{rows} rows"]


def erasing() -> Scenario:
    def prepare() -> None:
        from agents.transcripts import store_turns

        _prepare()
        store_turns(agent=_agent(), session_key=KEY, turns=_turns())

    def write() -> object:
        from agents.transcripts import erase_transcript

        return erase_transcript(_agent(), KEY, False)

    def look() -> list[str]:
        from agents.transcripts.files import transcripts_dir

        _start()
        faults = _left_over()
        write()
        left = [path for path in transcripts_dir(_agent()).rglob("*") if path.suffix in (".md", ".jsonl")]
        return [*faults, *(f"not erased by the retry: {path}" for path in left)]

    return Scenario(prepare, lambda: (write(), None)[1], look)


def resetting() -> Scenario:
    def prepare() -> None:
        from agents.transcripts import store_turns

        _prepare()
        store_turns(agent=_agent(), session_key=KEY, turns=_turns())

    def write() -> object:
        from agents.transcripts import reset_session
        from tests import cast

        return reset_session(agent=_agent(), caller=cast.TRUSTED, session_key=KEY)

    def look() -> list[str]:
        _start()
        faults = _left_over()
        write()
        notes = [path.name for path in _file().parent.glob("20*.md") if "turn number 2" in path.read_text()]
        return faults if len(notes) == 1 else [*faults, f"notes after the retry: {notes}"]

    return Scenario(prepare, lambda: (write(), None)[1], look)


def forgetting(what: str) -> Scenario:
    """A file, or what came from a chat: three notes of three chats in two files, and a transcript."""
    thing = {"path": PLANS} if what == "path" else {"session_key": KEY}
    other = KEY.replace("42", "77")

    def prepare() -> None:
        from agents.transcripts import store_turns
        from agents.workspace import append
        from search.documents.transcripts import Turn
        from tests import cast

        _prepare()
        texts = ((PLANS, f"The code is {SECRET}.", KEY), (PLANS, "Ivo has the ladder.", other))
        for path, text, key in (*texts, ("memory/more.md", f"Code {SECRET} again.", KEY if what == "chat" else other)):
            text = text if what == "chat" or path == PLANS else "Nothing of it."
            append(agent=_agent(), actor=cast.OWNER, path=path, text=text, origin="agent", session_key=key)
        if what == "chat":
            store_turns(agent=_agent(), session_key=KEY, turns=[Turn("user", f"The code is {SECRET}.")])

    def write() -> object:
        from agents.upkeep.forget import forget
        from tests import cast

        return forget(agent=_agent(), actor=cast.OWNER, **thing)  # type: ignore[arg-type]

    def look() -> list[str]:
        from agents.models import Tombstone

        begun = Tombstone.objects.exists()
        ended = Tombstone.objects.filter(step="", taken=[]).exists()  # it died with the answer on its tongue
        _start()
        faults = [*_left_over(), *(_holding(SECRET) if begun else [])]
        told = {text.path for text in write().removed.texts}  # type: ignore[attr-defined]
        wanted = set() if ended else {PLANS} if what == "path" else {PLANS, "memory/more.md"}
        kept = _file("memory/more.md" if what == "path" else PLANS).read_text()
        wrong = [] if ("Ivo" if what == "chat" else "Nothing") in kept else [f"other text went: {kept}"]
        return [*faults, *_holding(SECRET), *wrong, *([] if told == wanted else [f"the retry told {told}"])]

    return Scenario(prepare, lambda: (write(), None)[1], look)


def _holding(words: str) -> list[str]:
    """Files of the data folder that hold these words, kept versions included."""
    from agents.core.paths import data_dir
    from agents.workspace import objects

    found = [path for path in data_dir().rglob("*") if path.is_file() and words.encode() in path.read_bytes()]
    versions = [name for name in objects.names("al") if words.encode() in objects.load("al", name)]
    return [f"{words} is still in {one}" for one in (*found, *versions)]


def bringing_back() -> Scenario:
    """The version before the last note."""

    def prepare() -> None:
        from agents.workspace import append
        from tests import cast

        _prepare()
        for text in (NOTE, "Sell the shed."):
            append(agent=_agent(), actor=cast.OWNER, path=PLANS, text=text, origin="agent", index=False)

    def write() -> object:
        from agents.files.history import restore
        from agents.models import WorkspaceWrite
        from tests import cast

        first = WorkspaceWrite.objects.order_by("pk")[0]
        return restore(agent=_agent(), actor=cast.OWNER, path=PLANS, version=first.after)

    def look() -> list[str]:
        from agents.models import WorkspaceWrite
        from agents.workspace import objects

        then = f"{BEFORE}- {NOTE}\r\n".encode()
        now = then + b"- Sell the shed.\r\n"
        there = _file().read_bytes()
        faults = [] if there in (then, now) else [f"after the start: {there!r}"]
        write()
        kept = {objects.load("al", row.after) for row in WorkspaceWrite.objects.all()}
        whole = _file().read_bytes() == then and now in kept
        return faults if whole else [*faults, f"after the retry: {_file().read_bytes()!r}"]

    start_and_look = _writing(write, look).look
    return Scenario(prepare, lambda: (write(), None)[1], start_and_look)


SAID = ("We decided to paint the fence green.", "My sister Ada lives in Lisbon.", "Remember to call the plumber.")


def flushing() -> Scenario:
    """Three notes of one chat, asked for again with the same cycle."""

    def prepare() -> None:
        from agents.transcripts import store_turns
        from search.documents.transcripts import Turn

        _prepare()
        store_turns(agent=_agent(), session_key=KEY, turns=[Turn("user", text, id=text) for text in SAID])

    def write() -> object:
        from agents.flush import flush
        from tests import cast

        return flush(agent=_agent(), caller=cast.TRUSTED, session_key=KEY, cycle="c")

    def look() -> list[str]:
        from agents.models import Transcript

        write()
        text = "".join(path.read_text() for path in Path(_agent().workspace).rglob("*.md"))
        counts = {said: text.count(said) for said in SAID}
        faults = [f"{count} times after the retry: {said}" for said, count in counts.items() if count != 1]
        transcript = Transcript.objects.get()
        return faults if transcript.flush_from == 2 else [*faults, f"the next flush begins at {transcript.flush_from}"]

    return Scenario(prepare, lambda: (write(), None)[1], _writing(write, look).look)


def consolidating() -> Scenario:
    """One line of a day's note goes to MEMORY.md, and the diary tells of it."""
    line, day = "The boiler valve is a BV-77 of Ostermann.", "2026-05-01"

    def prepare() -> None:
        from django.utils import timezone

        from agents.memory.signals import entry_digest
        from agents.models import UsedEntry

        _prepare()
        _file(f"memory/{day}.md").write_text(f"- {line}\n")
        UsedEntry.objects.create(
            agent=_agent(), path=f"memory/{day}.md", digest=entry_digest(f"- {line}"), line=1, recalls=30,
            score_sum=28.0, queries=[f"q{n}" for n in range(12)], days=[str(timezone.localdate())],
            last_at=timezone.now(),
        )  # fmt: skip

    def write() -> object:
        from agents.upkeep.consolidation import consolidate
        from tests import cast

        return consolidate(agent=_agent(), actor=cast.OWNER)

    def look() -> list[str]:
        from agents.models import UsedEntry

        write()
        files = [_file(name) for name in ("MEMORY.md", "DREAMS.md")]
        counts = [path.read_text().count(line) for path in files if path.exists()]
        faults = [] if counts == [1, 1] else [f"in memory and diary after the retry: {counts} times"]
        return faults if UsedEntry.objects.get().promoted_at else [*faults, "it would be promoted again"]

    return Scenario(prepare, lambda: (write(), None)[1], _writing(write, look).look)


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "append": appending,
    "append-new": lambda: appending("memory/new/plans.md", ""),
    "replace": replacing,
    "create": creating,
    "store": storing,
    "store-more": lambda: storing(4),
    "erase": erasing,
    "reset": resetting,
    "history-restore": bringing_back,
    "flush": flushing,
    "consolidate": consolidating,
    "forget-path": lambda: forgetting("path"),
    "forget-chat": lambda: forgetting("chat"),
}


ALSO = {
    "history-restore": ("/agents/files/history.py",),
    "flush": ("/agents/flush/",),
    "consolidate": ("/agents/upkeep/consolidation/",),
}

if __name__ == "__main__":
    name = sys.argv[2]
    rooms = FORGETTING if name.startswith("forget") else (*ROOMS, *ALSO.get(name, ()))
    run(SCENARIOS[name], rooms, Path(sys.argv[1]))
