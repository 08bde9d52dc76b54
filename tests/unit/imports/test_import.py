"""import_memory(): other tools' folders, looked at first, copied without touching anything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from agents.core.errors import Invalid
from agents.imports import Imported, import_memory
from agents.models import Agent
from tests import cast

CLAUDE = {
    "CLAUDE.md": "# Rules\n\n- Answer in Swedish.\n",
    "projects/-home-ida-app/memory/MEMORY.md": "- The staging host is garnet.\n",
    "projects/-home-ida-app/memory/deploy.md": "- Deploys go out on Tuesdays.\n",
    "projects/-home-ida-app/session.jsonl": "{}\n",
    "settings.md": "not memory\n",
}


@pytest.fixture
def home(data_dir: Path) -> Path:
    """A folder that an import may read."""
    folder = data_dir / "workspaces" / "from-outside"
    folder.mkdir(parents=True)
    return folder


def put(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def take(agent: Agent, folder: Path, tool: str = "claude-code", **more: object) -> Imported:
    return import_memory(agent=agent, actor=cast.OWNER, tool=tool, path=str(folder), **more)  # type: ignore[arg-type]


def statuses(found: Imported) -> dict[str, str]:
    return {item.path.removeprefix(f"memory/imports/{found.tool}/"): item.status for item in found.items}


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_claude_code_is_copied_and_found_and_its_source_untouched(al: Agent, home: Path) -> None:
    put(home, CLAUDE)
    before = tree(home)
    found = take(al, home)
    assert statuses(found) == {
        "CLAUDE.md": "new",
        "projects/-home-ida-app/memory/MEMORY.md": "new",
        "projects/-home-ida-app/memory/deploy.md": "new",
    }
    assert tree(home) == before and found.indexed
    text = (Path(al.workspace) / "memory/imports/claude-code/projects/-home-ida-app/memory/deploy.md").read_text()
    assert text == CLAUDE["projects/-home-ida-app/memory/deploy.md"]


def test_a_preview_writes_nothing(al: Agent, home: Path) -> None:
    put(home, CLAUDE)
    before = tree(Path(al.workspace))
    assert [item.status for item in take(al, home, dry_run=True).items] == ["new"] * 3
    assert tree(Path(al.workspace)) == before


def test_codex_and_openclaw_have_layouts_of_their_own(al: Agent, home: Path) -> None:
    put(home, {".codex/AGENTS.md": "- Be brief.\n", ".codex/memories/facts.md": "- A.\n", "README.md": "no\n"})
    assert set(statuses(take(al, home, "codex"))) == {"codex/AGENTS.md", "codex/memories/facts.md"}
    put(home, {"MEMORY.md": "- B.\n", "memory/2026-01-05.md": "- C.\n", "memory/dreaming/deep/2026-01-05.md": "- D.\n"})
    assert set(statuses(take(al, home, "openclaw"))) == {"MEMORY.md", "memory/2026-01-05.md"}


def test_a_folder_that_is_all_memory_is_taken_whole(al: Agent, home: Path) -> None:
    put(home, {"notes/memory/anything.md": "- A.\n", "notes/memory/deep/er.md": "- B.\n"})
    assert set(statuses(take(al, home / "notes/memory"))) == {"anything.md", "deep/er.md"}


def test_a_second_import_brings_what_is_new_at_the_source(al: Agent, home: Path) -> None:
    put(home, CLAUDE)
    take(al, home)
    put(home, {"CLAUDE.md": "# Rules\n\n- Answer in Danish.\n"})
    assert sorted(statuses(take(al, home)).values()) == ["same", "same", "update"]


def test_a_copy_that_was_changed_here_is_a_conflict_and_stays(al: Agent, home: Path) -> None:
    put(home, CLAUDE)
    take(al, home)
    copy = Path(al.workspace) / "memory/imports/claude-code/CLAUDE.md"
    copy.write_text("- Mine now.\n")
    put(home, {"CLAUDE.md": "- Theirs.\n"})
    assert statuses(take(al, home))["CLAUDE.md"] == "conflict"
    assert copy.read_text() == "- Mine now.\n"


def test_links_are_not_followed_and_named(al: Agent, home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("- Secret.\n")
    (home / "CLAUDE.md").symlink_to(tmp_path / "secret.md")
    assert [(item.status, item.source) for item in take(al, home).items] == [("skipped", "CLAUDE.md")]


def test_folders_without_memory_or_out_of_bounds_are_refused(al: Agent, home: Path, tmp_path: Path) -> None:
    for folder in (home, tmp_path, Path(al.workspace), Path("/etc")):
        with pytest.raises(Invalid) as refused:
            take(al, folder)
        assert refused.value.field == "path"


def test_a_folder_is_given_from_the_command_line_by_any_path(al: Agent, tmp_path: Path) -> None:
    put(tmp_path / "home", CLAUDE)
    with pytest.raises(Invalid, match="outside the allowed roots"):
        take(al, tmp_path / "home")
    assert len(take(al, tmp_path / "home", on_the_server=True).items) == 3
