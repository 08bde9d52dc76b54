"""What each tool exports becomes notes and transcripts, once each."""

from __future__ import annotations

import codecs
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.access.sessions import derive
from agents.core.errors import Invalid
from agents.imports import TOOLS, Imported, ImportedFile, copying, given, import_memory, reading
from agents.imports.names import HIDDEN
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
    assert "edited or regenerated later: 1" in chat.detail and "attachments: 1" in chat.detail
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
    assert [item.detail for item in of(found, "skipped")] == ["entries without a text in `memory`: 1"]


def test_basic_memory_counts_observations(al: Agent, home: Path) -> None:
    cast_files(home / "basic-memory", exports.BASIC)
    found = take(al, home / "basic-memory", "basic-memory")
    assert {item.source: item.detail for item in found.items} == {
        "Plain.md": "",
        "coffee/Coffee Brewing.md": "observations: 2, relations: 1",
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


def test_an_imported_conversation_is_a_private_chat(al: Agent, home: Path) -> None:
    take(al, exports.chatgpt(home / "chatgpt.zip", exports.BOILER), "chatgpt")
    assert [derive(key).chat_type for key in chats(al)] == ["direct"]


@pytest.mark.parametrize("id", ["", "a:group:b", "x" * 500, "\n", "\ud800"])
def test_whatever_a_conversation_is_called_it_stays_one_private_chat(al: Agent, home: Path, id: str) -> None:
    export = exports.chatgpt(home / "chatgpt.zip", exports.BOILER | {"id": id, "conversation_id": id})
    for status in ("new", "same"):
        assert [one.status for one in take(al, export, "chatgpt").items if one.kind == "chat"] == [status]
    assert [derive(key).chat_type for key in chats(al)] == ["direct"]


def test_a_request_takes_some_and_the_command_line_any_number(
    al: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MOST_FILES", 1)
    export = exports.zipped(home / "vault.zip", exports.VAULT)
    with pytest.raises(Invalid, match="one request imports 1 and 500") as refused:
        take(al, export, "obsidian")
    assert "memory import" in refused.value.hint and not written(al, "obsidian")
    assert take(al, export, "obsidian", on_the_server=True).indexed


def test_a_file_is_read_inside_the_allowed_roots_alone(al: Agent, data_dir: Path, home: Path, tmp_path: Path) -> None:
    sound = exports.zipped(data_dir / "chatgpt.zip", {"conversations.json": json.dumps([exports.BOILER])})
    assert take(al, sound, "chatgpt", dry_run=True).items
    outside = exports.zipped(tmp_path / "outside.zip", {"conversations.json": "[]"})
    (home / "link.zip").symlink_to(outside)
    (home / "folder.zip").symlink_to(tmp_path)
    (data_dir / "backups").mkdir()
    own = exports.zipped(data_dir / "backups/own.zip", {"conversations.json": "[]"})
    names = [outside, home / "link.zip", home / "folder.zip", own, home / "gone.zip", home / f"{'x' * 300}.zip"]
    for path in [*map(str, names), f"{home}/../../chatgpt.zip", "chatgpt.zip", f"{home}/a\0b.zip", "/.zip", ".json"]:
        with pytest.raises(Invalid) as refused:
            import_memory(agent=al, actor=cast.OWNER, tool="chatgpt", path=path)
        assert refused.value.field == "path"


def test_the_api_previews_and_refuses_in_its_own_shape(
    client: Client, al: Agent, home: Path, owner: cast.Person
) -> None:
    export = exports.chatgpt(home / "chatgpt.zip", exports.BOILER)
    body = {"tool": "chatgpt", "path": str(export), "dry_run": True}
    answer = client.post("/api/v1/agents/al/import", body, content_type="application/json", **owner.headers).json()
    assert (answer["imported"], answer["chats"], answer["conflicts"]) == (2, 1, 0)
    assert [item["messages"] for item in answer["items"] if item["kind"] == "chat"] == [3]
    export.write_bytes(export.read_bytes()[:-10])
    refused = client.post("/api/v1/agents/al/import", body, content_type="application/json", **owner.headers)
    assert refused.status_code == 422 and "nothing was imported" in refused.json()["error"]["message"]


def test_the_command_line_previews_imports_and_says_what_it_left_out(
    al: Agent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = str(exports.zipped(tmp_path / "vault.zip", exports.VAULT))
    call_command("memory", "import", "obsidian", export, "--preview")
    out, err = capsys.readouterr()
    assert "new       Home/Hedge.md → memory/imports/obsidian/Home/Hedge.md" in out
    assert "Preview, nothing is written: 3 new" in out and not written(al, "obsidian")
    assert "Home/attachments/hedge.png" in err
    call_command("memory", "import", "obsidian", export, "--agent", "al", "--json")
    assert len(json.loads(capsys.readouterr().out)["items"]) == 6 and len(written(al, "obsidian")) == 3
    with pytest.raises(SystemExit):
        call_command("memory", "import", "notion", str(tmp_path / "gone.zip"))
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("block", [7, 64, 1 << 20])
def test_a_list_is_read_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(reading, "BLOCK", block)
    items = [{"a": "Gärten, 庭, 🌱 ]}[{"}, {}, {"b": [1, {"c": None}]}, {"d": "x" * 300}]
    data = ("\ufeff " + json.dumps([*items, 12, "s"], ensure_ascii=False, indent=1) + "\n").encode()
    assert list(reading.listed_in(codecs.getreader("utf-8-sig")(io.BytesIO(data)).read)) == items


def test_one_object_of_a_list_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 16)
    monkeypatch.setattr(reading, "MAX_JSON_BYTES", 100)
    with pytest.raises(ValueError):
        list(reading.listed_in(io.StringIO(json.dumps([{"a": "x" * 10_000}])).read))


def test_in_a_folder_links_and_odd_files_are_named_and_not_followed(
    al: Agent, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast_files(home / "vault", {"a.md": "A.\n", ".obsidian/b.md": "B.\n", "node_modules/c.md": "C.\n"})
    cast_files(tmp_path, {"secret.md": "Secret.\n"})
    (home / "vault/file.md").symlink_to(tmp_path / "secret.md")
    (home / "vault/folder").symlink_to(tmp_path)
    os.mkfifo(home / "vault/pipe.md")
    found = take(al, home / "vault", "obsidian")
    assert written(al, "obsidian") == {"vault/a.md": "A.\n"}
    assert {item.source.strip("'"): item.detail for item in of(found, "skipped")} == {
        ".obsidian": HIDDEN,
        "node_modules": HIDDEN,
        "file.md": "symlink, not followed",
        "folder": "symlink, not followed",
        "pipe.md": "is not a regular file",
    }
    monkeypatch.setattr(given, "MAX_ENTRIES", 3)
    with pytest.raises(Invalid, match="more than 3 files"):
        take(al, home / "vault", "obsidian")
