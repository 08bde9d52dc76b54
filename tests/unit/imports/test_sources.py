"""What each tool exports becomes notes and transcripts, once each."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agents.core.errors import Invalid
from agents.imports import TOOLS, Imported, ImportedFile, import_memory
from agents.imports.sources import SOURCES
from agents.memory.reads import SearchParams, search
from agents.models import Agent, Transcript
from agents.transcripts.files import read_part
from tests import cast
from tests.unit.imports import exports


@pytest.fixture
def home(data_dir: Path) -> Path:
    folder = data_dir / "workspaces" / "from-outside"
    folder.mkdir(parents=True)
    return folder


def take(agent: Agent, path: Path, tool: Any, **more: Any) -> Imported:
    return import_memory(agent=agent, actor=cast.OWNER, tool=tool, path=str(path), **more)


def written(agent: Agent, tool: str) -> dict[str, str]:
    root = Path(agent.workspace) / "memory/imports" / tool
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.md")}


def chats(agent: Agent) -> dict[str, list[tuple[str, str]]]:
    rows = Transcript.objects.filter(agent=agent)
    return {row.session_key: [(turn.role, turn.text) for turn in read_part(row, 1)] for row in rows}


def of(found: Imported, status: str) -> list[ImportedFile]:
    return [item for item in found.items if item.status == status]


def test_every_tool_has_a_source() -> None:
    assert set(SOURCES) == set(TOOLS)


def test_chatgpt_the_branch_that_was_seen_becomes_a_transcript(al: Agent, home: Path) -> None:
    export = exports.chatgpt(home / "chatgpt.zip", exports.BOILER, name="conversations-000.json")
    found = take(al, export, "chatgpt")
    assert chats(al) == {
        "agent:al:chatgpt:direct:6789-boiler": [
            ("user", "How do I bleed the boiler?"),
            ("user", "This is the valve."),
            ("assistant", "Open the valve a quarter turn."),
        ]
    }
    assert written(al, "chatgpt") == {
        "saved-memories.md": "# What ChatGPT saved as memories\n\n- Ida has a Vaillant boiler.\n",
        "custom-instructions.md": "# Custom instructions in ChatGPT\n\nI am Ida.\n\nAnswer briefly.\n",
    }
    [chat] = [item for item in found.items if item.kind == "chat"]
    assert chat.messages == 3 and chat.source == "conversations-000.json: Boiler"
    assert "1 messages that were edited" in chat.detail and "1 attachments" in chat.detail
    assert {item.source for item in of(found, "skipped")} == {"user.json", "chat.html", "file-abc.png"}


def test_claude_conversations_memories_and_projects(al: Agent, home: Path) -> None:
    found = take(al, exports.zipped(home / "claude.zip", exports.CLAUDE), "claude")
    assert chats(al) == {
        "agent:al:claude:direct:c0ffee00-1111-4222-8333-444455556666": [
            ("user", "When may I cut the hedge?"),
            ("assistant", "From October to February."),
        ]
    }
    assert written(al, "claude") == {
        "memory.md": "**Home**\n\nIda keeps bees.\n",
        "projects/Shed paint/memory.md": "The shed is to be green.\n",
        "projects/Shed paint/instructions.md": "Painting\n\nBe practical.\n",
        "projects/Shed paint/colours.txt.md": "RAL 6011\n",
    }
    assert {(item.source, item.kind) for item in of(found, "skipped")} == {
        ("conversations.json: without a title", "chat"),
        ("users.json", "file"),
    }


def test_an_imported_conversation_is_found_by_its_words(al: Agent, home: Path) -> None:
    take(al, exports.zipped(home / "claude.zip", exports.CLAUDE), "claude")
    params = SearchParams(query="hedge October", mode="search", corpus="sessions")
    answer = search(agent=al, caller=cast.TRUSTED, session=None, params=params)
    assert "From October to February." in answer.outcome.results[0].snippet  # type: ignore[union-attr]


@pytest.mark.parametrize("unpacked", [False, True])
def test_an_obsidian_vault_keeps_its_links_and_names_its_attachments(al: Agent, home: Path, unpacked: bool) -> None:
    export = exports.zipped(home / "vault.zip", exports.VAULT)
    if unpacked:
        zipfile.ZipFile(export).extractall(home)
        export = home / "Home"
    found = take(al, export, "obsidian")
    notes = written(al, "obsidian")
    assert set(notes) == {"Home/Garden.md", "Home/Daily/2026-01-05.md", "Home/Hedge.md"}
    assert "[[Hedge|old hedge]]" in notes["Home/Garden.md"] and "![[hedge.png]]" in notes["Home/Garden.md"]
    left = {item.source.removeprefix("Home/"): item.detail for item in of(found, "skipped")}
    assert set(left) - {"__MACOSX"} == {"attachments/hedge.png", ".obsidian"}
    assert left["attachments/hedge.png"].startswith("an attach")


@pytest.mark.parametrize("inside", [False, True])
def test_notion_pages_lose_their_ids_in_names_and_links(al: Agent, home: Path, inside: bool) -> None:
    export = exports.zipped(home / "notion.zip", exports.NOTION)
    if inside:
        part = {"ExportBlock-0a1b-Part-1.zip": export.read_bytes()}
        export = exports.zipped(home / "outer.zip", part)
    found = take(al, export, "notion")
    pages = written(al, "notion")
    assert set(pages) == {"Home.md", "Home/Shed (old).md", "Home/Twin 01234567.md", "Home/Twin fedcba98.md"}
    assert "[The shed](Home/Shed%20%28old%29.md) and [away](https://example.org/a%20b)" in pages["Home.md"]
    assert "Back to [Home](../Home.md)" in pages["Home/Shed (old).md"]
    assert [item.detail for item in of(found, "skipped")] == ["a table: only Markdown is imported"]


@pytest.mark.parametrize("bare", [False, True])
def test_mem0_has_one_file_for_each_user(al: Agent, home: Path, bare: bool) -> None:
    (home / "mem0.json").write_text(json.dumps(exports.MEM0["results"] if bare else exports.MEM0))
    found = take(al, home / "mem0.json", "mem0")
    assert written(al, "mem0") == {
        "ida.md": "# mem0: ida\n\n## 2026-01-05\n\n- Ida keeps bees.\n\n## 2026-01-06\n\n- Ida is allergic to nuts.\n",
        "tor .. x.md": "# mem0: tor .. x\n\n## 2026-01-05\n\n- Tor plays chess.\n",
    }
    assert [item.detail for item in of(found, "skipped")] == ["1 entries without a text in `memory`"]


def test_basic_memory_counts_observations(al: Agent, home: Path) -> None:
    cast_files(home / "basic-memory", exports.BASIC)
    found = take(al, home / "basic-memory", "basic-memory")
    assert {item.source: item.detail for item in found.items} == {
        "Plain.md": "",
        "coffee/Coffee Brewing.md": "2 observations, 1 relations",
    }
    assert (
        written(al, "basic-memory")["basic-memory/coffee/Coffee Brewing.md"]
        == exports.BASIC["coffee/Coffee Brewing.md"]
    )
    cast_files(home / "plain", {"Plain.md": "Only words.\n"})
    with pytest.raises(Invalid, match="no export of Basic Memory"):
        take(al, home / "plain", "basic-memory")


def cast_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


EXPORTS: dict[str, Any] = {
    "chatgpt": lambda path: exports.chatgpt(path, exports.BOILER),
    "claude": lambda path: exports.zipped(path, exports.CLAUDE),
    "obsidian": lambda path: exports.zipped(path, exports.VAULT),
    "notion": lambda path: exports.zipped(path, exports.NOTION),
    "mem0": lambda path: exports.zipped(path, {"memories.json": json.dumps(exports.MEM0)}),
    "basic-memory": lambda path: exports.zipped(path, exports.BASIC),
}


@pytest.mark.parametrize("tool", EXPORTS)
def test_a_preview_writes_nothing_says_the_same_and_repeating_doubles_nothing(al: Agent, home: Path, tool: str) -> None:
    export = EXPORTS[tool](home / "export.zip")
    preview = take(al, export, tool, dry_run=True)
    assert not written(al, tool) and not chats(al)
    first = take(al, export, tool)
    assert preview.items == first.items and of(first, "new")
    before = written(al, tool), chats(al)
    again = take(al, export, tool)
    assert not of(again, "new") and not of(again, "update") and len(of(again, "same")) == len(of(first, "new"))
    assert (written(al, tool), chats(al)) == before
    assert take(al, export, tool, dry_run=True).items == again.items


def test_a_later_export_brings_only_what_was_said_since(al: Agent, home: Path) -> None:
    take(al, exports.chatgpt(home / "first.zip", exports.BOILER), "chatgpt")
    grown = json.loads(json.dumps(exports.BOILER))
    grown["mapping"]["more"] = exports.chatgpt_node("more", "answer", "user", "It works.")
    grown["current_node"] = "more"
    found = take(al, exports.chatgpt(home / "second.zip", grown), "chatgpt")
    assert [(item.status, item.messages) for item in found.items if item.kind == "chat"] == [("update", 1)]
    assert [text for _, text in next(iter(chats(al).values()))][-1] == "It works."


def test_the_wrong_export_is_refused_with_what_to_name(al: Agent, home: Path) -> None:
    export = exports.zipped(home / "other.zip", {"readme.txt": "no"})
    for tool in EXPORTS:
        with pytest.raises(Invalid) as refused:
            take(al, export, tool)
        assert refused.value.field == "path" and refused.value.hint
    with pytest.raises(Invalid, match="is not a folder"):
        take(al, export, "codex")
