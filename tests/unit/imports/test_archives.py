"""Archives that could do harm, or are damaged, are refused as a whole: nothing of them is written anywhere."""

from __future__ import annotations

import io
import json
import re
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.core.errors import Invalid
from agents.imports import archive as archives
from agents.imports import import_memory
from agents.imports.archive import Refused
from agents.models import Agent, Transcript
from tests import cast
from tests.unit.imports import exports

NOTE = "- A good note.\n"
Make = Callable[[], bytes]


def packed(files: dict[str, bytes | str], change: Callable[[zipfile.ZipInfo], None] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("placeholder")
            info.filename = info.orig_filename = name
            info.compress_type = zipfile.ZIP_DEFLATED
            if change and name != "good.md":
                change(info)
            archive.writestr(info, content)
    return out.getvalue()


def named(name: str) -> Make:
    return lambda: packed({"good.md": NOTE, name: NOTE})


def mode(kind: int) -> Make:
    def change(info: zipfile.ZipInfo) -> None:
        info.create_system, info.external_attr = 3, (kind | 0o777) << 16

    return lambda: packed({"good.md": NOTE, "link.md": "/etc/passwd"}, change)


def encrypted() -> bytes:
    data = bytearray(packed({"good.md": NOTE}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def latin1_name() -> bytes:
    """A name as old Windows tools write it: `ü` in one byte, without the sign for UTF-8."""
    return packed({"good.md": NOTE, "gXrten.md": NOTE}).replace(b"gXrten.md", b"g\x81rten.md")


def damaged() -> bytes:
    data = packed({"a.md": NOTE, "good.md": NOTE})
    return data.replace(struct.pack("<L", zipfile.ZipFile(io.BytesIO(data)).getinfo("good.md").CRC), b"\0\1\2\3")


def inner_bomb() -> bytes:
    return packed({"ExportBlock-1-Part-1.zip": packed({"good.md": NOTE, "bomb.md": b"\0" * 3_000_000})})


HOSTILE: dict[str, tuple[Make, str]] = {
    "up": (named("../../evil.md"), "no plain path"),
    "absolute": (named("/etc/evil.md"), "no plain path"),
    "windows": (named("..\\evil.md"), "no plain path"),
    "drive": (named("a/../../evil.md"), "no plain path"),
    "control": (named("a\nb.md"), "no plain path"),
    "zero": (lambda: packed({"good.md": NOTE, "aXevil.md": NOTE}).replace(b"aXevil", b"a\0evil"), "no plain path"),
    "symlink": (mode(stat.S_IFLNK), "is a symlink"),
    "device": (mode(stat.S_IFCHR), "no regular file"),
    "encrypted": (encrypted, "is encrypted"),
    "ratio": (lambda: packed({"good.md": NOTE, "bomb.md": b"\0" * 3_000_000}), "200 times its packed size"),
    "encoding": (latin1_name, "not in UTF-8"),
    "twice": (lambda: packed({"good.md": NOTE, "bad1.md": NOTE, "bad2.md": NOTE}).replace(b"bad2", b"bad1"), "twice"),
    "damaged": (damaged, "in it is damaged"),
    "cut": (lambda: packed({"good.md": NOTE})[:-30], "no zip file"),
    "no zip": (lambda: b"PK, but nothing of the kind", "no zip file"),
    "inside": (inner_bomb, "200 times its packed size"),
}


@pytest.fixture
def export(data_dir: Path) -> Path:
    folder = data_dir / "workspaces" / "from-outside"
    folder.mkdir(parents=True)
    return folder / "export.zip"


def refused(agent: Agent, path: Path, tool: str) -> Refused:
    with pytest.raises(Refused) as error:
        import_memory(agent=agent, actor=cast.OWNER, tool=tool, path=str(path))  # type: ignore[arg-type]
    assert not (Path(agent.workspace) / "memory/imports").exists()
    assert not Transcript.objects.filter(agent=agent).exists()
    assert "nothing was imported" in error.value.message and error.value.hint
    return error.value


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_leaves_nothing_behind(al: Agent, export: Path, kind: str) -> None:
    make, why = HOSTILE[kind]
    export.write_bytes(make())
    before = sorted(export.parent.parent.parent.rglob("*"))
    assert why in refused(al, export, "notion" if kind == "inside" else "obsidian").message
    assert sorted(export.parent.parent.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("limit", "value", "why"),
    [("MAX_ENTRIES", 1, "more than 1 files"), ("MAX_UNPACKED", 20, "20 bytes"), ("MAX_DIRECTORY", 80, "files")],
)
def test_an_archive_beyond_a_limit_is_refused(
    al: Agent, export: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, why: str
) -> None:
    export.write_bytes(packed({"good.md": NOTE, "other.md": NOTE}))
    monkeypatch.setattr(archives, limit, value)
    assert why in refused(al, export, "obsidian").message


def test_an_archive_with_too_many_files_is_refused_without_listing_them(al: Agent, export: Path) -> None:
    with zipfile.ZipFile(export, "w") as archive:
        for number in range(archives.MAX_ENTRIES + 1):
            archive.writestr(f"{number}.md", b"")
    assert "more than 20,000 files" in refused(al, export, "obsidian").message


def test_a_file_that_is_longer_than_declared_is_damaged(al: Agent, export: Path) -> None:
    data = packed({"good.md": NOTE * 100})
    size = struct.pack("<L", len(NOTE) * 100)
    export.write_bytes(data.replace(size, struct.pack("<L", 10)))
    assert "is damaged" in refused(al, export, "obsidian").message


@pytest.mark.parametrize(
    "text", ["[{", '[{"mapping": {}}, {"a": nope}]', "{" * 100_000, "[" * 100_000, '["\\ud8', "\xff"]
)
def test_json_that_ends_or_breaks_off_is_refused(al: Agent, export: Path, text: str) -> None:
    """The first conversation is sound: it is not kept either."""
    first = json.dumps([exports.BOILER])[1:-1]
    content = text if text[0] != "[" or text[1:2] == "[" else f"[{first}, {text[1:]}"
    export.write_bytes(packed({"conversations.json": content.encode("latin-1")}))
    for tool in ("chatgpt", "mem0"):
        refused(al, export, tool)


def test_names_as_macos_packs_them_are_read(al: Agent, export: Path) -> None:
    """UTF-8 without the sign for it, `ü` as two characters, and its folder of resource forks."""
    name = "Gärten.md".encode()
    placeholder = "G" + "x" * (len(name) - 5) + "n.md"
    data = packed({placeholder: NOTE, "__MACOSX/._x": b"\0", "sub/b.md": NOTE}).replace(
        placeholder.encode(), _same(name, placeholder)
    )
    export.write_bytes(data)
    import_memory(agent=al, actor=cast.OWNER, tool="obsidian", path=str(export))
    found = sorted(path.name for path in (Path(al.workspace) / "memory/imports/obsidian/export").rglob("*.md"))
    assert found == ["Gärten.md", "b.md"]


def _same(name: bytes, placeholder: str) -> bytes:
    assert len(name) == len(placeholder)
    return name


def test_no_broken_archive_ends_in_anything_but_a_refusal(al: Agent, export: Path) -> None:
    sound = packed({"conversations.json": json.dumps([exports.BOILER]), "good.md": NOTE})
    for seed in range(100):
        data = bytearray(sound)
        for step in range(4):
            data[(seed * 7919 + step * 104_729) % len(data)] ^= 1 << (seed + step) % 8
        export.write_bytes(bytes(data))
        try:
            import_memory(agent=al, actor=cast.OWNER, tool="chatgpt", path=str(export), dry_run=True)
        except Invalid as error:
            assert re.search(r"refused|no export", error.message)
