"""Back up, restore, compare: every file and folder comes back byte by byte, whatever it is called."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.backup import BackupError, find_backup, make_backup
from agents.backup.restore import restore
from agents.backup.restore_agent import restore_agent
from agents.core.actors import CLI
from agents.models import Agent
from tests.unit.backup.test_restore import elsewhere  # noqa: F401

OURS = (
    "locks", ".locks", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".git", ".openclaw-repair", ".restore",
    "blocks", "backups", "history", "transcripts", "workspaces", "collections", "indexes", "control.sqlite3",
    "folders.jsonl", "settings.env", "replaced", ".work-1", "al.sqlite", "restore-unfinished.json",
)  # fmt: skip
ODD = (
    "a\nb", " ", "…", "\\", "café", "cafe\u0301", "笔记", "👩\u200d👩", "x" * 200, os.fsdecode(b"\xff\xfe"), "-rf", "*",
)  # fmt: skip
names = st.one_of(
    st.sampled_from(OURS + ODD),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=40),
).filter(lambda name: name not in (".", "..") and len(os.fsencode(name)) <= 240)
contents = st.one_of(st.just(b""), st.binary(max_size=300), st.sampled_from([bytes(600_000), b"a" + bytes(300_000)]))
entries = st.lists(
    st.tuples(
        st.lists(names, min_size=1, max_size=4),
        st.one_of(st.none(), st.just("link"), contents),
        st.sampled_from([0o644, 0o600, 0o444, 0o755, 0o700]),
        st.integers(-(2**30), 2**32) | st.sampled_from([0, 1, 4_386_182_400]),
    ),
    max_size=12,
)


def grow(root: Path, tree: list[tuple[list[str], bytes | str | None, int, int]]) -> None:
    for parts, what, mode, seconds in tree:
        path = root.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if what is None:
                path.mkdir()
            elif isinstance(what, str):
                path.symlink_to("somewhere")
                continue
            else:
                path.write_bytes(what)
        except OSError:
            continue  # another entry has that name already, or the path is too long
        path.chmod(mode | (0o700 if what is None else 0))
        os.utime(path, ns=(seconds * 10**9 + 7, seconds * 10**9 + 7))


def tree(root: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(root):
        for path in [Path(folder, name) for name in (*folders, *files)]:
            status = path.lstat()
            if not stat.S_ISLNK(status.st_mode):
                data = path.read_bytes() if path.is_file() else None
                found[str(path.relative_to(root))] = (data, stat.S_IMODE(status.st_mode), status.st_mtime_ns)
    return found


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(planted=entries)
def test_a_tree_comes_back_as_it_was(al: Agent, backups: Path, planted: list[object]) -> None:
    workspace = Path(al.workspace)
    shutil.rmtree(workspace)
    workspace.mkdir()
    grow(workspace, planted)  # type: ignore[arg-type]
    before = tree(workspace)
    links = sum(path.is_symlink() for path in workspace.rglob("*"))
    made = make_backup()
    assert len(made.left_out) == links
    shutil.rmtree(workspace)
    restore_agent(find_backup(made.name), "al", actor=CLI, force=True)
    assert tree(workspace) == before


def test_holes_of_a_sparse_file_stay_holes(al: Agent, backups: Path) -> None:
    path = Path(al.workspace) / "disk.img"
    with path.open("wb") as file:
        file.seek(8 * 1024 * 1024)
        file.write(b"end")
    data = path.read_bytes()
    make_backup()
    path.unlink()
    restore_agent(find_backup("latest"), "al", actor=CLI, force=True)
    assert path.read_bytes() == data
    assert path.stat().st_blocks * 512 < len(data) / 4


def test_an_empty_folder_comes_back(al: Agent, backups: Path) -> None:
    (Path(al.workspace) / "memory/locks").mkdir(parents=True)
    make_backup()
    shutil.rmtree(al.workspace)
    restore_agent(find_backup("latest"), "al", actor=CLI, force=True)
    assert (Path(al.workspace) / "memory/locks").is_dir()


@pytest.fixture
def otherwise_named(al: Agent) -> Path:
    """Al's workspace lies in the folder of workspaces under the name that another agent's would have."""
    folder = Path(al.workspace).with_name("household")
    Path(al.workspace).rename(folder)
    Agent.objects.filter(pk=al.pk).update(workspace=str(folder))
    al.collections.update(path=str(folder))
    return folder


def test_a_workspace_of_another_name_comes_back_under_it(otherwise_named: Path, elsewhere: Path) -> None:  # noqa: F811
    restore(find_backup("latest"), force=False)
    assert (elsewhere / "workspaces/household/MEMORY.md").exists()
    assert not (elsewhere / "workspaces/al").exists()


@pytest.fixture
def outside(al: Agent, tmp_path: Path, settings: object) -> Iterator[Path]:
    """Al's workspace lies outside the data folder."""
    folder = tmp_path / "vault"
    settings.MEMORY_ALLOWED_ROOTS = (tmp_path,)  # type: ignore[attr-defined]
    Path(al.workspace).rename(folder)
    Agent.objects.filter(pk=al.pk).update(workspace=str(folder))
    al.collections.update(path=str(folder))
    yield folder


def test_a_live_folder_outside_is_not_replaced_without_force(outside: Path, elsewhere: Path) -> None:  # noqa: F811
    (outside / "MEMORY.md").write_text("newer\n")
    with pytest.raises(BackupError, match="vault"):
        restore(find_backup("latest"), force=False)
    assert (outside / "MEMORY.md").read_text() == "newer\n"
    assert not (elsewhere / "control.sqlite3").exists()


def test_with_force_the_folder_outside_is_kept(outside: Path, elsewhere: Path) -> None:  # noqa: F811
    (outside / "MEMORY.md").write_text("newer\n")
    kept = restore(find_backup("latest"), force=True).kept
    assert kept is not None
    assert (kept / "elsewhere/workspaces/al/MEMORY.md").read_text() == "newer\n"
    assert (outside / "MEMORY.md").read_text().endswith("under the blue pot.\n")


def test_two_workspaces_under_each_others_names_come_back(al: Agent, al_2: Agent, backups: Path) -> None:
    one, two = Path(al.workspace), Path(al_2.workspace)
    two.mkdir(exist_ok=True)
    (two / "MEMORY.md").write_text("of the other\n")
    for agent, folder in ((al, two), (al_2, one)):
        Agent.objects.filter(pk=agent.pk).update(workspace=str(folder))
        agent.collections.update(path=str(folder))
    before = (one / "MEMORY.md").read_text()
    make_backup()
    (one / "MEMORY.md").write_text("newer\n")
    restore(find_backup("latest"), force=True)
    assert ((one / "MEMORY.md").read_text(), (two / "MEMORY.md").read_text()) == (before, "of the other\n")
