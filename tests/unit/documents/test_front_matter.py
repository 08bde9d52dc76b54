"""Front matter: read when well-formed, ordinary text otherwise."""

from __future__ import annotations

import pytest

from search.documents.front_matter import FrontMatter, read_front_matter


def read(text: str) -> FrontMatter:
    return read_front_matter(text.split("\n"))


def test_title_and_importance_are_read() -> None:
    assert read("---\ntitle: Road  trip\nimportance: 8\ntags: [a]\n---\nbody") == FrontMatter(5, "Road trip", 8)


def test_a_title_that_looks_like_a_number_stays_as_written() -> None:
    assert read("---\ntitle: 2026-02-30\n...\n") == FrontMatter(3, "2026-02-30")


def test_a_character_written_as_two_escapes_is_one_and_half_of_one_does_no_harm() -> None:
    block = read('---\ntitle: "half \\udc00"\nsession: "agent:al:\\ud83d\\ude42\\tclosed"\n---\n')
    assert (block.title, block.session) == ("half \ufffd", "agent:al:\U0001f642\tclosed")


def test_an_empty_block_is_front_matter() -> None:
    assert read("---\n---\nbody") == FrontMatter(2)


@pytest.mark.parametrize("value", ["banana", "0", "11", "[8]", "8.0", "{a: 8}", ""])
def test_a_senseless_importance_is_none(value: str) -> None:
    assert read(f"---\nimportance: {value}\n---\n").importance is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body\n---\n",
        "---\ntitle: a\n# never closed\nbody",
        "---\na: [unclosed\n---\n",
        "---\njust a rule and text\n---\n",
        "---\n- a list\n---\n",
        "---\n? [a]\n: b\n? {c: d}\n: e\n---\n",
        "---\n\ttab: x\n---\n",
        "---\nx: *nobody\n---\n",
        "---\n" + "[" * 10_000 + "\n---\n",
        "---\na: " + "x" * 20_000 + "\n---\n",
        "---\n" + "a: b\n" * 300 + "---\n",
        "----\ntitle: a\n----\n",
        " ---\ntitle: a\n---\n",
    ],
)
def test_anything_else_is_ordinary_text(text: str) -> None:
    assert read(text) == FrontMatter()


def test_entities_that_multiply_are_not_expanded() -> None:
    bomb = "\n".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}, *a{n}, *a{n}]" for n in range(30))
    assert read(f"---\na0: &a0 lol\n{bomb}\n---\n").lines == 33
