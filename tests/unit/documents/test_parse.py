"""From bytes to chunks: encodings, line ends, front matter and annotations together."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.documents.lines import count_lines, decode
from search.documents.parse import Chunk, ParsedDocument, parse_document
from search.spec import ChunkingSpec


def parse(data: str | bytes, *, curated: bool = False, rel: str = "memory/trip-notes.md") -> ParsedDocument:
    raw = data.encode() if isinstance(data, str) else data
    return parse_document(rel, raw, curated=curated, chunking=ChunkingSpec())


def test_front_matter_is_kept_out_and_lines_stay_true() -> None:
    document = parse("---\ntitle: Road trip\nimportance: 8\n---\n# Day 1\nkettle is blue\n")
    assert (document.title, document.importance, document.front_matter_lines) == ("Road trip", 8, 4)
    assert document.chunks == (Chunk("# Day 1\nkettle is blue\n", 5, 6, "Day 1", 8, (), (), False),)


def test_unclosed_front_matter_is_text() -> None:
    document = parse("---\ntitle: a\n# never closed front matter\nbody")
    assert document.chunks[0].text.startswith("---\ntitle: a") and document.importance is None


@pytest.mark.parametrize(
    ("text", "title"), [("## Hotels\n# Trip\n", "Hotels"), ("no heading", "trip-notes"), ("#\n# B", "B")]
)
def test_the_title_is_the_first_heading_or_the_name(text: str, title: str) -> None:
    assert parse(text).title == title


def test_the_highest_importance_of_file_and_lines_counts() -> None:
    text = "---\nimportance: 5\n---\n- a <!-- importance: 3 -->\n- b <!-- importance: 9 -->\n- c\n"
    assert [chunk.importance for chunk in parse(text, curated=True).chunks] == [5, 9, 5]


def test_annotations_belong_to_their_entry_and_leave_the_text() -> None:
    document = parse("- tea <!-- importance: 8 --><!-- trigger: 茶, tea -->\n- rice", curated=True, rel="MEMORY.md")
    assert document.chunks[0] == Chunk("- tea", 1, 1, "", 8, ("茶", "tea"), (), False)
    assert document.chunks[1] == Chunk("- rice", 2, 2, "", None, (), (), False)


def test_every_piece_of_a_long_entry_carries_its_annotations() -> None:
    document = parse("- " + "x" * 4000 + " <!-- project: Acme -->", curated=True)
    assert [chunk.projects for chunk in document.chunks] == [("acme",)] * 3


def test_a_malformed_project_annotation_excludes_its_chunk_only() -> None:
    document = parse("- secret <!-- project: -->\n- open", curated=True)
    assert [chunk.excluded for chunk in document.chunks] == [True, False]


@pytest.mark.parametrize("text", ["a\r\nb\r\nc\r\n", "a\rb\rc\r", "a\nb\nc\n", "\ufeffa\r\nb\nc\r"])
def test_every_line_end_counts_once(text: str) -> None:
    assert parse(text).chunks[0].text == "a\nb\nc\n"
    assert (parse(text).chunks[0].start_line, parse(text).chunks[0].end_line) == (1, 3)


def test_a_byte_order_mark_does_not_hide_the_title() -> None:
    assert parse("\ufeff# BOM title\ntext").title == "BOM title"


def test_bytes_that_are_not_utf8_are_replaced_and_reported() -> None:
    document = parse(b"caf\xe9 notes\n")
    assert document.chunks[0].text == "caf\ufffd notes\n"
    assert "UTF-8" in document.problems[0]
    assert parse("café").problems == ()


def test_nul_becomes_a_replacement_character() -> None:
    assert parse(b"\0\0binary?\1").chunks[0].text == "\ufffd\ufffdbinary?\x01"


@pytest.mark.parametrize("data", ["", "\n\n\n\n", "---\n---", "<!-- importance: 9 -->"])
@pytest.mark.parametrize("curated", [True, False])
def test_a_file_without_text_has_no_chunks(data: str, curated: bool) -> None:
    assert parse(data, curated=curated).chunks == ()


def test_the_section_is_that_of_the_first_new_text() -> None:
    text = "# A\n" + ("x" * 79 + "\n") * 19 + "## B\n" + ("y" * 79 + "\n") * 30
    assert [chunk.heading for chunk in parse(text).chunks] == ["A", "A > B", "A > B"]


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2)])
def test_a_final_newline_is_not_a_line_for_readers(text: str, lines: int) -> None:
    assert count_lines(text) == lines


@given(st.lists(st.sampled_from(["\n", "\r\n", "\r", "a b. ", "# H\n", "- x\n", "---\n", "```\n", "\u2028", "\ufeff"])))
@pytest.mark.parametrize("curated", [True, False])
def test_no_chunk_ends_behind_the_files_last_line(curated: bool, parts: list[str]) -> None:
    data = "".join(parts).encode()
    last = count_lines(decode(data)[0])
    for chunk in parse(data, curated=curated).chunks:
        assert 1 <= chunk.start_line <= chunk.end_line <= last


def test_what_is_not_text_has_no_passages_and_says_so() -> None:
    document = parse(random.Random(7).randbytes(200_000), rel="photo.md")
    assert document.chunks == () and document.title == "photo"
    assert document.problems[0].startswith("not text")


@pytest.mark.parametrize("text", ["Der Schlüssel hängt hinter der grünen Tür.\n" * 200, "ключ"])
def test_text_in_another_encoding_is_read_as_far_as_it_can_be(text: str) -> None:
    document = parse(text.encode("cp1251" if text == "ключ" else "latin-1"))
    assert document.chunks and document.problems[0].startswith("not valid UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_short_text_in_utf_16_is_named_and_not_searched_letter_by_letter(encoding: str) -> None:
    document = parse("- The key hangs here.\n".encode(encoding))
    assert document.chunks == () and "save it as UTF-8" in document.problems[0]


def test_zero_bytes_in_a_text_are_named() -> None:
    document = parse(b"- The key\0 hangs here, behind the blue door.\n")
    assert document.chunks and "zero bytes" in document.problems[0]
