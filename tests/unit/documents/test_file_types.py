"""The table of file types: it decides alone what is read, matched, written and shown."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from search.documents.patterns import selection
from search.documents.scan import scan_collection
from search.file_types import ANY_SUFFIX, FILE_TYPES, file_type, is_document, is_writable, matched_as, read_as, stem
from search.spec import CollectionSpec

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("search", "agents", "workers", "memory_appliance")
TABLE = ROOT / "search/file_types.py"
NOT_MEMORY = {
    "memory_appliance/launch/scale_keys.py": "passes over README.md in a folder of secrets",
    "search/marks.py": "knows the heads of injected notes, which are Markdown alone",
}

_OWN_KNOWLEDGE = re.compile(rf"\A\.(?:{ANY_SUFFIX})\Z|\\\.(?:{ANY_SUFFIX})\b")


def _texts(module: Path) -> list[tuple[int, str]]:
    """Texts of a module but the parts of f-strings: those make a name."""
    tree = ast.parse(module.read_text("utf-8"))
    made = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in made)
    return [(node.lineno, node.value) for node in nodes if isinstance(node.value, str)]


def test_no_other_module_knows_an_ending() -> None:
    """A suffix alone, or one in a regular expression, is knowledge that a new row would not reach."""
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(modules) > 300
    own = [
        f"{name}:{line} has {text!r}: ask search/file_types.py"
        for module in modules
        if (name := module.relative_to(ROOT).as_posix()) not in NOT_MEMORY and module != TABLE
        for line, text in _texts(module)
        if _OWN_KNOWLEDGE.search(text)
    ]
    assert own == [], "\n".join(own)


@pytest.mark.parametrize("row", FILE_TYPES, ids=lambda row: row.suffix)
def test_each_row_is_kept_everywhere(row, tmp_path: Path) -> None:
    name = f"Report{row.suffix}"
    (tmp_path / name).write_text("text")
    found = scan_collection(CollectionSpec("notes", tmp_path, patterns=("**/*",)))
    if row.read == "renamed":
        assert file_type(name) is None and [one.problem for one in found.problems] == [
            "is not read under this name; rename it to Report.md"
        ]
        return
    assert [file.rel for file in found.files] == [name] and not found.problems
    assert stem(f"a.b/{name}") == "a.b/Report"
    assert is_document(name) is row.document and is_writable(name) is row.writable
    assert not (row.document and row.writable), "documents are never written"
    chats = CollectionSpec("chats", tmp_path, patterns=("**/*",), source="sessions")
    assert selection(chats).takes(name) is not row.document


def test_the_ending_of_a_document_may_be_in_upper_case(tmp_path: Path) -> None:
    (tmp_path / "LIST.TXT").write_text("text")
    for pattern in ("*.txt", "*.TXT", "*"):
        spec = CollectionSpec("notes", tmp_path, patterns=(pattern,))
        assert [file.rel for file in scan_collection(spec).files] == ["LIST.TXT"]
        assert selection(spec).takes("LIST.TXT")
    assert matched_as("LIST.TXT") == "LIST.txt" and file_type("A.MD") is None and read_as("A.MD") == "A.md"


@pytest.mark.parametrize("name", ["", ".", ".md", ".txt", "folder/.txt", "txt", "a.exe", "a.txt/", "a.txt.exe"])
def test_what_has_no_known_ending_is_not_read(name: str) -> None:
    assert file_type(name) is None and stem(name) == name and read_as(name) == name


def test_what_office_or_a_sync_tool_left_is_named_only_where_the_pattern_asks_for_its_type(tmp_path: Path) -> None:
    for name in ("~$list.txt", "list.sync-conflict-20260101-101010.txt", ".away.txt.icloud"):
        (tmp_path / name).write_text("x")
    assert scan_collection(CollectionSpec("notes", tmp_path)).problems == []
    assert len(scan_collection(CollectionSpec("notes", tmp_path, patterns=("*.txt",))).problems) == 3
