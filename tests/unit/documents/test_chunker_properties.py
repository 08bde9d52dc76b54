"""What holds for every text: nothing is lost, line numbers are true, no chunk is too heavy."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from search.documents.parse import ParsedDocument, parse_document
from search.documents.text import weighted_length
from search.spec import ChunkingSpec

LINES = st.one_of(
    st.sampled_from(
        ["", "  ", "# Head", "## 标题", "- entry", "  - nested", "```", "---", "- e <!-- importance: 9 -->"]
    ),
    st.text(st.sampled_from("ab 记🌸é\u0301\r"), max_size=90),
)
TEXTS = st.tuples(st.lists(LINES, max_size=40), st.sampled_from(["\n", "\r\n", "\r"])).map(lambda t: t[1].join(t[0]))
SMALL = ChunkingSpec(tokens=16, overlap=4)


def parse(text: str, curated: bool) -> tuple[list[str], ParsedDocument]:
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.replace("<!-- importance: 9 -->", "").rstrip() for line in normal.split("\n")]
    return lines, parse_document("memory/x.md", text.encode(), curated=curated, chunking=SMALL)


@given(TEXTS, st.booleans())
@example("# Head\n" * 30 + "b" * 90, False)
def test_every_line_with_content_is_in_a_chunk(text: str, curated: bool) -> None:
    lines, document = parse(text, curated)
    covered = {line for chunk in document.chunks for line in range(chunk.start_line, chunk.end_line + 1)}
    for number, line in enumerate(lines[document.front_matter_lines :], start=document.front_matter_lines + 1):
        assert number in covered or not line.strip()


@given(TEXTS, st.booleans())
def test_a_chunk_holds_text_of_its_own_lines(text: str, curated: bool) -> None:
    lines, document = parse(text, curated)
    for chunk in document.chunks:
        assert 1 <= chunk.start_line <= chunk.end_line <= len(lines)
        own = lines[chunk.start_line - 1 : chunk.end_line]
        assert all(any(part.rstrip() in line for line in own) for part in chunk.text.split("\n"))


@given(TEXTS, st.booleans())
def test_chunks_advance(text: str, curated: bool) -> None:
    chunks = parse(text, curated)[1].chunks
    assert [chunk.end_line for chunk in chunks] == sorted(chunk.end_line for chunk in chunks)
    assert all(chunk.text.strip() for chunk in chunks)


@given(TEXTS, st.booleans())
def test_no_chunk_is_heavier_than_the_limit_and_a_quarter_for_headings(text: str, curated: bool) -> None:
    limit = SMALL.tokens * 4
    for chunk in parse(text, curated)[1].chunks:
        headed = any(line.startswith("#") for line in chunk.text.split("\n"))
        assert weighted_length(chunk.text) <= (limit + limit // 4 if headed else limit)


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_parsed(data: bytes, curated: bool) -> None:
    document = parse_document("x.md", data, curated=curated, chunking=SMALL)
    for chunk in document.chunks:
        assert "\0" not in chunk.text
        chunk.text.encode()
