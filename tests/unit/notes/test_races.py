"""People who write into a file in the very moment of an exchange: every line is under the name or was kept."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agents.workspace import disk, exchange

REL = "memory/plans.md"
ROUNDS = 150
PAUSE = 0.0002


def appends(file: Path, go_on: Any, said: Any) -> None:
    """Opens, adds a line, closes: as a shell or a logger does."""
    number = 0
    while go_on.is_set():
        with file.open("ab") as handle:
            handle.write(b"person %06d\n" % number)
        number += 1
        said.value = number
        time.sleep(PAUSE)


def keeps_open(file: Path, go_on: Any, said: Any) -> None:
    """Adds twenty lines to a file that it opened once, as a script does."""
    number = 0
    while go_on.is_set():
        with file.open("ab", buffering=0) as handle:
            for _ in range(20):
                handle.write(b"person %06d\n" % number)
                number += 1
                said.value = number
                time.sleep(PAUSE)


def saves(file: Path, go_on: Any, said: Any) -> None:
    """Saves as editors do: a new file with all that was read and a line more, renamed over the old one."""
    number, mine = 0, b""
    beside = file.with_suffix(".swp")
    while go_on.is_set():
        mine += b"person %06d\n" % number
        beside.write_bytes(mine)
        beside.replace(file)
        number += 1
        said.value = number
        time.sleep(PAUSE)


@pytest.fixture(params=["one step", "in steps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "in steps":
        monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / REL).write_bytes(b"- Paint the shed.\n")
    return tmp_path


@pytest.fixture
def beside_a(root: Path) -> Iterator[Callable[[Any], Any]]:
    """Starts a person in a process of its own; the answer is how many lines that one says to have written."""
    context = multiprocessing.get_context("fork")
    go_on, said = context.Event(), context.Value("i", 0)
    started: list[Any] = []

    def start(person: Any) -> Any:
        go_on.set()
        process = context.Process(target=person, args=(root / REL, go_on, said), daemon=True)
        process.start()
        started.append(process)

        def stop() -> int:
            go_on.clear()
            process.join(10)
            assert process.exitcode == 0
            return int(said.value)

        return stop

    yield start
    for process in started:
        process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("person", [appends, keeps_open, saves])
def test_no_line_of_a_person_is_lost(root: Path, way: str, beside_a: Any, person: Any) -> None:
    kept: list[bytes] = []
    stop = beside_a(person)
    done = 0
    for number in range(ROUNDS):
        with suppress(FileNotFoundError, disk.ChangedMeanwhile):
            before = (root / REL).read_bytes()
            disk.exchange_content(root, REL, b"ours %06d\n" % number, before, kept.append)
            kept.append(before)
            done += 1
    lines = stop()
    found = {line for text in [(root / REL).read_bytes(), *kept] for line in text.split(b"\n")}
    lost = [number for number in range(lines) if b"person %06d" % number not in found]
    assert (lost, lines > 0) == ([], True)
    assert not [path.name for path in (root / "memory").iterdir() if path.name.startswith(".")]
    print(f"{way}, {person.__name__}: {lines} lines, {done} of {ROUNDS} writes went through")


def test_a_file_that_changes_at_every_look_ends_in_a_conflict(
    root: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person's editor saves before each exchange of names, also before those that give the name back."""
    really, number, kept = disk.exchange, 0, []

    def with_editor(folder: int, one: str, other: str) -> None:
        nonlocal number
        number += 1
        (root / "memory/new").write_bytes(b"person %06d\n" % number)
        (root / "memory/new").replace(root / REL)
        really(folder, one, other)

    monkeypatch.setattr(disk, "exchange", with_editor)
    with pytest.raises(disk.ChangedMeanwhile):
        disk.exchange_content(root, REL, b"ours\n", b"- Paint the shed.\n", kept.append)
    newest = (root / REL).read_bytes()
    assert newest.startswith(b"person") and b"ours\n" not in [newest, *kept]
    assert {path.name for path in (root / "memory").iterdir()} == {"plans.md"}


def test_lines_that_were_added_to_ours_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person saves; ours takes the name all the same; the next line goes to ours; the name goes back."""
    really, steps, kept = disk.exchange, [b"- By hand.\n", b""], []

    def with_person(folder: int, one: str, other: str) -> None:
        if steps and (text := steps.pop(0)):
            (root / REL).write_bytes(text)
        else:
            with (root / REL).open("ab") as file:
                file.write(b"- One more.\n")
        really(folder, one, other)

    monkeypatch.setattr(disk, "exchange", with_person)
    with pytest.raises(disk.ChangedMeanwhile):
        disk.exchange_content(root, REL, b"- Ours.\n", b"- Paint the shed.\n", kept.append)
    assert ((root / REL).read_bytes(), kept) == (b"- By hand.\n", [b"- Ours.\n- One more.\n"])


@pytest.mark.parametrize("made_again", [False, True])
def test_a_file_that_was_saved_while_it_was_removed_stays(
    root: Path, way: str, made_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, kept = disk.read_at_rest, []

    def with_person(folder: int, name: str) -> bytes:
        if made_again:
            (root / REL).write_bytes(b"- Made again.\n")
        return really(folder, name)

    monkeypatch.setattr(disk, "read_at_rest", with_person)
    with pytest.raises(disk.ChangedMeanwhile):
        disk.remove_file(root, REL, b"what was read\n", kept.append)
    stands = (root / REL).read_bytes()
    assert {stands, *kept} == ({b"- Made again.\n", b"- Paint the shed.\n"} if made_again else {b"- Paint the shed.\n"})
    assert {path.name for path in (root / "memory").iterdir()} == {"plans.md"}


def test_what_cannot_be_kept_stays_where_it_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of the history is full: the displaced lines lie beside, for the next start, and are not removed."""

    def full(content: bytes) -> None:
        raise OSError(28, "No space left on device")

    really = disk.exchange
    monkeypatch.setattr(disk, "exchange", lambda *names: ((root / REL).write_bytes(b"- By hand.\n"), really(*names)))
    with pytest.raises(OSError, match="No space"):
        disk.exchange_content(root, REL, b"- Ours.\n", b"- Paint the shed.\n", full)
    assert any(b"- By hand.\n" in path.read_bytes() for path in (root / "memory").iterdir())
