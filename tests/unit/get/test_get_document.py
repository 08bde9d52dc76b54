"""get_document(): windows, truncation and its continuation, and what is refused, missing or unreadable."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import BadQuery
from search.get import GetResult, get_document, multi_get
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec


@pytest.fixture
def spec(tmp_path: Path) -> IndexSpec:
    for folder in ("ws/memory/.dreams", "ws/notes", "house/drafts", "sessions"):
        (tmp_path / folder).mkdir(parents=True)
    write(tmp_path, "ws/MEMORY.md", "- one\n- two\n- three\n")
    write(tmp_path, "house/manual.md", "boiler")
    write(tmp_path, "house/drafts/x.md", "draft")
    write(tmp_path, "sessions/s.md", "User: secret")
    return IndexSpec(
        "a",
        tmp_path / "index.sqlite",
        (
            CollectionSpec("memory", tmp_path / "ws", MEMORY_PATTERNS),
            CollectionSpec("house", tmp_path / "house", ("**/*.md",), ("drafts/**",), prefix="house/"),
            CollectionSpec("sessions", tmp_path / "sessions", source="sessions", prefix="sessions/"),
        ),
    )


def write(folder: Path, rel: str, text: str | bytes) -> None:
    (folder / rel).write_bytes(text if isinstance(text, bytes) else text.encode())


def memory(spec: IndexSpec, text: str | bytes) -> None:
    write(spec.collections[0].root, "MEMORY.md", text)


def test_a_small_file_is_answered_whole(spec: IndexSpec) -> None:
    assert get_document(spec, "MEMORY.md") == GetResult(
        "ok", "MEMORY.md", "- one\n- two\n- three", lines=3, total_lines=3
    )


def test_a_window_says_where_it_goes_on(spec: IndexSpec) -> None:
    result = get_document(spec, "MEMORY.md", from_line=2, lines=1)
    assert result.text == "- two\n\n[truncated: continue with from=3]"
    assert (result.from_line, result.lines, result.truncated, result.next_from, result.next_offset) == (
        2,
        1,
        True,
        3,
        None,
    )


def test_the_default_window_is_120_lines(spec: IndexSpec) -> None:
    memory(spec, "x\n" * 121)
    result = get_document(spec, "MEMORY.md")
    assert (result.lines, result.total_lines, result.next_from) == (120, 121, 121)
    memory(spec, "x\n" * 120)
    assert not get_document(spec, "MEMORY.md").truncated


def test_the_default_size_is_12000_characters_of_whole_lines(spec: IndexSpec) -> None:
    memory(spec, ("记" * 999 + "\n") * 20)
    result = get_document(spec, "MEMORY.md")
    assert (result.lines, result.next_from) == (12, 13)
    memory(spec, "x" * 12_000)
    assert not get_document(spec, "MEMORY.md").truncated


def test_an_overlong_line_can_be_read_to_its_end(spec: IndexSpec) -> None:
    line = "".join(f"{number} 🌸 " for number in range(5000))
    memory(spec, f"first\n{line}\nlast\n")
    parts, from_line, offset = [], 2, 0
    while from_line == 2:
        result = get_document(spec, "MEMORY.md", from_line=2, lines=1, offset=offset)
        parts.append(result.text.partition("\n\n[truncated")[0])
        assert result.truncated and result.next_from is not None
        from_line, offset = result.next_from, result.next_offset or 0
    assert "".join(parts) == line and from_line == 3


def test_a_cut_line_does_not_tear_a_character_apart(spec: IndexSpec) -> None:
    memory(spec, "👩‍👩‍👧" * 3)
    result = get_document(spec, "MEMORY.md", max_chars=7)
    assert (
        result.text.startswith("👩‍👩‍👧\n\n[truncated: continue with from=1 and offset=5]") and result.next_offset == 5
    )


@pytest.mark.parametrize(("from_line", "offset"), [(4, 0), (10_000, 0), (4, 7)])
def test_beyond_the_end_is_an_empty_answer(spec: IndexSpec, from_line: int, offset: int) -> None:
    result = get_document(spec, "MEMORY.md", from_line=from_line, offset=offset)
    assert (result.status, result.text, result.lines, result.total_lines, result.truncated) == ("ok", "", 0, 3, False)


def test_an_empty_file_has_no_lines(spec: IndexSpec) -> None:
    memory(spec, "")
    assert get_document(spec, "MEMORY.md") == GetResult("ok", "MEMORY.md")


def test_lines_are_those_that_the_chunker_counts(spec: IndexSpec) -> None:
    memory(spec, b"\xef\xbb\xbfa\r\nb\rc\xff\0\n")
    assert get_document(spec, "MEMORY.md", from_line=2).text == "b\nc\ufffd\ufffd"


@pytest.mark.parametrize("path", ["memory/none.md", "USER.md", "DREAMS.md", "dreams.md", "Memory.md", "house/none.md"])
def test_a_missing_file_is_not_found(spec: IndexSpec, path: str) -> None:
    assert get_document(spec, path) == GetResult("not_found", path)


def test_the_dream_diary_is_readable_though_not_indexed(spec: IndexSpec) -> None:
    write(spec.collections[0].root, "dreams.md", "a dream")
    assert get_document(spec, "dreams.md").text == "a dream"


def test_another_collection_is_read_through_its_name(spec: IndexSpec) -> None:
    assert get_document(spec, "house/manual.md").text == "boiler"


FORBIDDEN = """
    manual.md notes/x.md AGENTS.md memory/x.txt memory/.dreams/x.md memory/.git/x.md Memory/x.md house/drafts/x.md
    house/ house house/manual.txt housex/manual.md house/../ws/MEMORY.md sessions/s.md users/1/USER.md
    memory/ memory ./MEMORY.md other/x.md
"""


@pytest.mark.parametrize("path", FORBIDDEN.split())
def test_what_no_collection_allows_is_refused(spec: IndexSpec, path: str) -> None:
    result = get_document(spec, path)
    assert (result.status, result.code, result.text) == ("error", "path_not_allowed", "")
    assert result.error and "MEMORY.md" in result.error


def test_a_symlink_is_refused(spec: IndexSpec) -> None:
    (spec.collections[0].root / "memory" / "link.md").symlink_to("../MEMORY.md")
    assert get_document(spec, "memory/link.md").code == "path_not_allowed"


def test_a_folder_in_place_of_a_file_is_a_failed_read(spec: IndexSpec) -> None:
    (spec.collections[0].root / "memory" / "x.md").mkdir()
    assert get_document(spec, "memory/x.md").code == "read_failed"


def test_a_file_beyond_the_size_limit_is_refused_with_its_size(spec: IndexSpec) -> None:
    with (spec.collections[0].root / "MEMORY.md").open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    result = get_document(spec, "MEMORY.md")
    assert result.code == "too_large" and result.error and "16,777,217" in result.error


def test_a_docid_is_read_under_the_same_rules(spec: IndexSpec) -> None:
    known = {"abc123": "house/manual.md", "bad000": "house/drafts/x.md"}
    assert get_document(spec, "#abc123", resolve_docid=known.get).path == "house/manual.md"
    assert get_document(spec, "#bad000", resolve_docid=known.get).code == "path_not_allowed"
    assert get_document(spec, "#ffffff", resolve_docid=known.get) == GetResult("not_found", "#ffffff")
    assert get_document(spec, "#abc123") == GetResult("not_found", "#abc123")


@pytest.mark.parametrize("numbers", [{"from_line": 0}, {"lines": 0}, {"lines": -1}, {"offset": -1}, {"max_chars": 0}])
def test_senseless_numbers_are_refused(spec: IndexSpec, numbers: dict[str, int]) -> None:
    with pytest.raises(BadQuery):
        get_document(spec, "MEMORY.md", **numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cited", "text", "first"),
    [
        ("MEMORY.md#L1-L2", "a\nb", 1),
        ("MEMORY.md#L2", "b", 2),
        ("MEMORY.md#L2-3", "b\nc", 2),
        ("MEMORY.md#L3-L9", "c", 3),
        ("#abc123#L2", "b", 2),
    ],
)
def test_a_citation_is_a_path_with_lines(spec: IndexSpec, cited: str, text: str, first: int) -> None:
    memory(spec, b"a\nb\nc\n")
    known = {"abc123": "MEMORY.md"}
    found = get_document(spec, cited, resolve_docid=known.get)
    assert (found.path, found.from_line, found.total_lines) == ("MEMORY.md", first, 3)
    assert found.text.startswith(text)
    (one,) = multi_get(spec, paths=[cited], resolve_docid=known.get)
    assert (one.path, one.text, one.from_line) == ("MEMORY.md", text, first)
    assert one.from_line + one.lines - 1 <= one.total_lines
