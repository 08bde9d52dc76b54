"""Front matter is text too: whatever a block holds is found by its words, and its lines are true."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.documents.parse import ParsedDocument, parse_document
from search.index.rebuild import rebuild_index
from search.spec import ChunkingSpec
from tests.engine import WordEmbedder, Workspace, ignore, never

BODY = "\n# Trip\nThe kettle is blue.\n"


def parse(text: str, *, transcript: bool = False) -> ParsedDocument:
    return parse_document("memory/a.md", text.encode(), curated=False, chunking=ChunkingSpec(), transcript=transcript)


@pytest.mark.parametrize(
    ("block", "said", "line"),
    [
        ("Evening: code SWIFT-1", "SWIFT-1", 2),
        ("title: Trip\nsummary: Cabin near Zermatt", "Zermatt", 3),
        ("aliases:\n  - Heron house\n  - 青い家", "青い家", 4),
        ("tags: [garden, rhubarb]", "rhubarb", 2),
        ("up: '[[Kitchen|quince jam]]'\ncssclasses: wide", "quince", 2),
        ("created: 2026-02-30\ndue: 2026-13-45T99:99", "2026-13-45T99", 3),
        ("note: |\n  first\n  second marmot", "marmot", 4),
        ("key: one\nkey: two otter", "one", 2),
        ("base: &b {x: 1}\nother: *b # see lapwing", "lapwing", 3),
        ("owner:\tHannah\tMarsh", "Hannah", 2),
        ("title: Trip # of the plover", "plover", 2),
        ("importance: high, said Sanderling", "Sanderling", 2),
        ("session: morning swim", "swim", 2),
        ("{a: dunlin, b: 3}", "dunlin", 2),
    ],
)
@pytest.mark.parametrize("end", ["---", "...", "---  "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_value_is_searched_on_its_line_and_not_embedded(
    block: str, said: str, line: int, end: str, newline: str
) -> None:
    document = parse(("\ufeff---\n" + block + f"\n{end}" + BODY).replace("\n", newline))
    head, body = document.chunks
    assert (head.words_only, body.words_only, document.problems) == (True, False, ())
    assert said in head.text and said in head.text.split("\n")[line - head.start_line]
    assert "kettle" in body.text and body.start_line == block.count("\n") + 4


@pytest.mark.parametrize(
    "block",
    [
        "# only a comment about the puffin",
        "puffin and nothing else",
        "- puffin\n- auk",
        "\n# a\n\n# puffin",
        "**puffin** and *auk*",
        "| puffin | auk |",
        "'puffin'",
    ],
)
def test_a_block_of_something_else_is_text_without_a_word(block: str) -> None:
    document = parse(f"---\n{block}\n---{BODY}")
    assert "puffin" in document.chunks[0].text and document.chunks[0].start_line == 1
    assert not document.chunks[0].words_only and document.problems == ()


@pytest.mark.parametrize(
    "block",
    [
        "tags: [puffin, auk",
        "title: Trip: to the puffin",
        "title: {{puffin}}",
        "\ttabbed: puffin",
        'title: "puffin',
        "a: *puffin",
        "a: puffin\n b: c\n  d",
        "a: puffin\x07",
        "a: " + "[" * 60 + "puffin",
        "a: &a [*a, puffin]",
        "\n".join(f"key{n}: puffin {n}" for n in range(300)),
        "a: puffin " + "word " * 5_000,
    ],
)
def test_a_broken_block_is_searched_and_named(block: str) -> None:
    document = parse(f"---\n{block}\n---{BODY}")
    assert any("puffin" in chunk.text for chunk in document.chunks)
    (problem,) = document.problems
    assert problem.startswith("the front matter does not count, its text is searched")


def test_a_thematic_break_and_a_block_without_an_end_are_no_front_matter() -> None:
    for text in ("# A\n\n---\nkey: value\n---\n", "---\nkey: value\nand on\n", "\n---\nkey: value\n---\n"):
        document = parse(text)
        assert "key: value" in document.chunks[-1].text and document.front_matter_lines == 0
        assert not any(chunk.words_only for chunk in document.chunks)


def test_what_title_and_importance_carry_is_not_there_twice_but_a_file_of_nothing_else_is_found() -> None:
    assert [chunk.words_only for chunk in parse(f"---\ntitle: Trip\nimportance: 8\n---{BODY}").chunks] == [False]
    assert [chunk.text for chunk in parse("---\ntitle: Trip\n---\n").chunks] == ["title: Trip"]


def test_of_a_transcript_the_front_matter_is_the_appliances_own() -> None:
    document = parse('---\ntitle: "Chat"\nsession: "agent:al:main"\n---\n\nUser: hello\n', transcript=True)
    assert document.session == "agent:al:main" and [chunk.words_only for chunk in document.chunks] == [False]


def test_an_annotation_in_the_block_holds_for_its_chunk() -> None:
    (head, _) = parse(f"---\nsummary: x # <!-- project: acme -->\n---{BODY}").chunks
    assert head.projects == ("acme",) and "<!--" not in head.text


def test_a_search_finds_it_and_shows_it_while_no_model_sees_it(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write("memory/a.md", f"---\nsummary: Cabin near Zermatt\naliases: [Heron house]\n---{BODY}")
    embedder = WordEmbedder()
    workspace.update(embedder.identity())
    report = workspace.embed(embedder)
    assert (report.pending, report.refused, report.embedded) == (0, 0, 1)
    assert not any("Zermatt" in text for text in embedder.seen)
    for query in ("zermatt", "heron house"):
        for mode in ("search", "hybrid"):
            hit = workspace.search(query, embedder, mode=mode, keyword_fill=True).results[0]
            assert hit.start_line <= 3 and "Zermatt" in hit.snippet
    # Another model takes over: still none of its business.
    other = WordEmbedder("words-2")
    rebuilt = rebuild_index(workspace.spec, other, budget_seconds=60, progress=ignore, cancelled=never)
    assert (rebuilt.pending, rebuilt.swapped) == (0, True)
    assert not any("Zermatt" in text for text in other.seen) and other.seen
