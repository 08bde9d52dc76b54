"""Folders exchanged for symlinks after they were allowed: what lies behind them is never read, written or saved."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agents.backup.copying import keep_file
from agents.backup.sources import LeftOut, Root, files_below
from agents.core.errors import Invalid
from agents.core.paths import data_dir
from agents.indexes.specs import index_spec
from agents.models import Agent
from agents.registry.agents import create_agent
from agents.registry.collections import create_collection, update_collection
from agents.workspace import append
from search.documents.contain import PathNotAllowed, is_folder, open_folder, read_inside
from search.documents.scan import scan_collection
from search.get import get_document, multi_get
from tests.cast import OWNER
from workers.watched_folders import existing_folders

SECRET = "The code of the safe is 4711.\n"


@pytest.fixture
def alpha(db: None, data_dir: Path) -> Agent:
    beta = create_agent(actor=OWNER, slug="beta")
    Path(beta.workspace, "MEMORY.md").write_text(SECRET)
    Path(beta.workspace, "inner").mkdir()
    Path(beta.workspace, "inner", "note.md").write_text(SECRET)
    return create_agent(actor=OWNER, slug="alpha")


def swapped(alpha: Agent, path: str) -> Path:
    """A collection at `path`, whose first folder then becomes a symlink to the folder of all workspaces."""
    workspace = Path(alpha.workspace)
    (workspace / path).mkdir(parents=True)
    create_collection(actor=OWNER, agent=alpha, name="linked", path=path)
    first = workspace / path.split("/")[0]
    first.rename(workspace / "before")
    first.symlink_to(workspace.parent)
    return workspace / path


@pytest.mark.parametrize("path", ["links/beta", "links/beta/inner"])
def test_a_symlink_above_a_collection_leads_nowhere(alpha: Agent, path: str) -> None:
    root = swapped(alpha, path)
    assert list(root.glob("*.md")), "the way through the symlink is there for everyone who follows it"
    spec = index_spec(Agent.objects.get(pk=alpha.pk))
    linked = next(one for one in spec.collections if one.name == "linked")
    found = scan_collection(linked)
    assert (found.files, found.readable) == ([], False)
    assert "symlink" in found.problems[0].problem
    for name in ("linked/MEMORY.md", "linked/note.md"):
        assert get_document(spec, name).code == "path_not_allowed"
        assert {one.code for one in multi_get(spec, paths=[name])} == {"path_not_allowed"}
    assert multi_get(spec, glob="linked/**/*.md") == ()
    assert not is_folder(root)
    assert str(root) not in existing_folders()
    with pytest.raises(PathNotAllowed):
        open_folder(root)


@pytest.mark.parametrize("where", ["beta", "", "beta/memory"])
def test_no_collection_is_another_agents_workspace(alpha: Agent, where: str) -> None:
    folder = str(data_dir() / "workspaces" / where)
    own = create_collection(actor=OWNER, agent=alpha, name="own", path="own")
    for attempt in (
        lambda: create_collection(actor=OWNER, agent=alpha, name="other", path=folder),
        lambda: update_collection(actor=OWNER, collection=own, path=folder),
    ):
        with pytest.raises(Invalid) as refused:
            attempt()
        assert refused.value.code == "path_not_allowed"


def test_a_root_that_the_owner_reaches_through_a_symlink_goes_on_working(
    tmp_path: Path, alpha: Agent, settings: object
) -> None:
    real, link = tmp_path / "usr" / "home", tmp_path / "home"
    (real / "vault" / "deep").mkdir(parents=True)
    (real / "vault" / "deep" / "note.md").write_text("text")
    link.symlink_to(real)
    settings.MEMORY_ALLOWED_ROOTS = [str(link)]  # type: ignore[attr-defined]
    create_collection(actor=OWNER, agent=alpha, name="vault", path=str(link / "vault"))
    spec = index_spec(Agent.objects.get(pk=alpha.pk))
    assert get_document(spec, "vault/deep/note.md").text == "text"
    assert read_inside(link / "vault", "deep/note.md") == b"text"
    (link / "other").symlink_to(Path(alpha.workspace).parent)
    with pytest.raises(PathNotAllowed):
        read_inside(link / "other" / "beta", "MEMORY.md")


def test_a_backup_takes_no_file_behind_a_symlink(alpha: Agent) -> None:
    root = swapped(alpha, "links/beta")
    with pytest.raises(PathNotAllowed):
        keep_file(None, "workspaces/alpha/links/beta/MEMORY.md", root / "MEMORY.md", None)  # type: ignore[arg-type]


def test_a_backup_lists_nothing_behind_a_symlink(alpha: Agent) -> None:
    workspace = Path(alpha.workspace)
    (workspace / "own.md").write_text("own\n")
    workspace.rename(workspace.with_name("before"))
    workspace.symlink_to(workspace.with_name("beta"))
    left_out = LeftOut()
    assert list(files_below(Root("workspaces/alpha", workspace), left_out)) == []
    assert "symlink" in " ".join(left_out.told())


def test_a_way_of_which_one_may_only_search_the_folders_is_passed() -> None:
    """As /home/me is for others: mode 0711."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "home"
        (home / "me" / "vault").mkdir(parents=True)
        (home / "me" / "vault" / "note.md").write_text("text")
        for folder in (Path(made), home, home / "me"):
            folder.chmod(0o711 if os.geteuid() == 0 else 0o311)
        try:
            assert as_another(lambda: read_inside(home / "me" / "vault", "note.md") == b"text")
            assert as_another(lambda: is_folder(home / "me" / "vault"))
            assert as_another(lambda: not is_folder(home / "me")), "what may not be listed is no root"
        finally:
            for folder in (Path(made), home, home / "me"):
                folder.chmod(0o755)


def as_another(question: Callable[[], bool]) -> bool:
    """Asked in a process without root's rights."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            if os.geteuid() == 0:
                os.setuid(65534)
            os._exit(0 if question() else 1)
        os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_folder_exchanged_again_and_again_never_gives_the_other(alpha: Agent) -> None:
    root = swapped(alpha, "links/beta")
    own = Path(alpha.workspace, "before", "beta", "MEMORY.md")
    own.write_text("mine\n")
    link, before, aside = root.parent, Path(alpha.workspace, "before"), Path(alpha.workspace, "aside")
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            link.rename(aside)
            before.rename(link)
            link.rename(before)
            aside.rename(link)

    turning = threading.Thread(target=exchange)
    turning.start()
    seen: set[bytes] = set()
    try:
        for _ in range(3000):
            with suppress(PathNotAllowed, FileNotFoundError):
                seen.add(read_inside(root, "MEMORY.md"))
    finally:
        stop.set()
        turning.join()
    assert seen <= {b"mine\n"}


@pytest.mark.parametrize("ways", ["with an exchange of names", "without"])
def test_a_hard_link_changes_nothing_elsewhere(alpha: Agent, ways: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if ways == "without":
        monkeypatch.setattr("agents.workspace.exchange._renameat2", lambda: None)
    other = data_dir() / "workspaces" / "beta" / "MEMORY.md"
    Path(alpha.workspace, "MEMORY.md").hardlink_to(other)
    append(agent=alpha, actor=OWNER, path="MEMORY.md", text="The boiler was serviced.", origin="owner")
    assert other.read_text() == SECRET
    assert Path(alpha.workspace, "MEMORY.md").read_text() == f"{SECRET}\n- The boiler was serviced.\n"
    assert other.stat().st_nlink == 1
    assert {path.name for path in Path(alpha.workspace).iterdir() if path.is_file()} == {"MEMORY.md"}
