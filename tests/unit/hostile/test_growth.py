"""Every step that meets a whole text takes work in proportion to it, whatever the text is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest

from memory_appliance.web.diff import line_changes
from memory_appliance.web.files.markdown import TooMuch, render
from search.documents.front_matter import read_front_matter
from search.documents.parse import parse_document
from search.documents.passages import split_passages
from search.documents.rubbish import leave_out_rubbish
from search.documents.terms import index_text
from search.documents.transcripts import Turn, read_turn, wrap
from search.documents.transcripts import render as render_transcript
from search.flush.choose import choose
from search.marks import clean, quoted, without_injected
from search.retrieve.marks import Marks
from search.retrieve.query import parse_query
from search.snippet import best_lines, query_words
from search.spec import ChunkingSpec
from tests.work import IN_PROPORTION, growth

HOSTILE: dict[str, Callable[[int], str]] = {
    "groups of digits": lambda n: "12 345 " * (n // 7),
    "one number": lambda n: "1" * n,
    "emoji": lambda n: "👩‍🚒" * (n // 3),
    "lines": lambda n: "a b\n" * (n // 4),
    "one line": lambda n: "x" * n,
    "one line of Chinese": lambda n: "网关重启后" * (n // 5),
    "headings": lambda n: "# a b\n" * (n // 6),
    "fences": lambda n: "~~~ a\n```\n" * (n // 10),
    "links": lambda n: "[a](b) " * (n // 7),
    "open links": lambda n: "[a](" * (n // 4),
    "quotes in quotes": lambda n: ">" * n,
    "lists in lists": lambda n: "".join(" " * (2 * (i % 20)) + "- a\n" for i in range(n // 23)),
    "brackets": lambda n: "[" * n,
    "stars": lambda n: "*a _b " * (n // 6),
    "backticks": lambda n: "".join("`" * (i % 30) + " " for i in range(n // 15)),
    "marks on one letter": lambda n: "e" + "\u0301" * n,
    "marks": lambda n: "e\u0301\u0302\u0303" * (n // 4),
    "flags": lambda n: "\U0001f1e6" * n,
    "joined emoji": lambda n: "👩\u200d" * (n // 2),
    "annotations": lambda n: "- a <!-- importance: 3 --><!-- trigger: b -->\n" * (n // 46),
    "triggers over a long line": lambda n: (
        "- " + "w " * (n // 2) + "<!-- trigger: " + ",".join(f"t{i}" for i in range(n // 20)) + " -->"
    ),
    "projects over a long line": lambda n: (
        "- " + "w " * (n // 2) + "<!-- project: " + ";".join(f"p{i}" for i in range(n // 20)) + " -->"
    ),
    "a long trigger over a long line": lambda n: "- " + "w " * (n // 2) + f"<!-- trigger: {'t ' * n} -->",
    "open comments": lambda n: "<!-- project:" * (n // 13),
    "front matter of keys": lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(n // 12)) + "---\n",
    "front matter without an end": lambda n: "---\n" + "a: b\n" * (n // 5),
    "front matter of brackets": lambda n: "---\na: " + "[" * n + "\n---\n",
    "blank lines between": lambda n: ("# a\n" + "\n" * (n // 2)) * 2,
    "dashes": lambda n: "a-" * (n // 2),
    "spaces": lambda n: "a" + " " * n + "b",
    "a dump": lambda n: ("00 " * 16 + "\n") * (n // 49),
    "armour": lambda n: "-----BEGIN A-----\n" * (n // 18),
    "data URIs": lambda n: "data:image/png;base64," * (n // 22),
}
WORDS = parse_query("kettle blue a x 网关")
MARKS = Marks(WORDS)


def _page(text: str) -> None:
    with suppress(TooMuch):
        render(text, link=lambda target: None)


STEPS: dict[str, tuple[Callable[[str], object], int]] = {
    "front matter": (lambda text: read_front_matter(text.split("\n")), 16_000),
    "parse": (lambda text: parse_document("a.md", text.encode(), curated=False, chunking=ChunkingSpec()), 32_000),
    "curated": (lambda text: parse_document("MEMORY.md", text.encode(), curated=True, chunking=ChunkingSpec()), 48_000),
    "rubbish": (lambda text: leave_out_rubbish(text.split("\n")), 32_000),
    "passages": (split_passages, 64_000),
    "terms": (index_text, 32_000),
    "turn": (lambda text: read_turn(json.dumps({"role": "user", "text": text})), 64_000),
    "transcript": (lambda text: render_transcript([Turn("user", text)], session="s", closed=False, title="t"), 32_000),
    "wrap": (wrap, 64_000),
    "flush": (lambda text: choose([Turn("user", text)]), 6_000),
    "page": (_page, 8_000),
    "difference": (lambda text: line_changes(text, text[::-1]), 32_000),
    "highlight": (lambda text: list(MARKS.spans(text)), 16_000),
    "snippet": (lambda text: best_lines(text, 1, query_words(WORDS, {}), (), 700), 32_000),
    "quoted": (quoted, 32_000),
    "clean": (clean, 32_000),
    "injected": (without_injected, 32_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.slow
def test_work_grows_with_the_text(step: str, kind: str) -> None:
    work, size = STEPS[step]
    assert growth(work, HOSTILE[kind], size) < IN_PROPORTION


@pytest.mark.parametrize("kind", ["triggers over a long line", "projects over a long line"])
def test_more_keys_than_count_are_named(kind: str) -> None:
    document = parse_document("MEMORY.md", HOSTILE[kind](40_000).encode(), curated=True, chunking=ChunkingSpec())
    assert max(len(chunk.triggers) for chunk in document.chunks) <= 200
    assert all(chunk.excluded for chunk in document.chunks) == kind.startswith("projects")
    assert document.problems[0].startswith("line 1: of a line's triggers and project keys")


def test_a_long_line_of_a_transcript_is_cut_at_spaces() -> None:
    assert wrap("word " * 400 + "x" * 1_000)[1:] == [
        ("word " * 160).strip(),
        ("word " * 80 + "x" * 400).strip(),
        "x" * 600,
    ]
