"""Headings and the section path in effect."""

from __future__ import annotations

import pytest

from search.documents.outline import heading_of, read_outline
from tests.work import IN_PROPORTION, growth


def test_the_path_follows_the_levels() -> None:
    outline = read_outline(["# Trip", "", "## Hotels", "### Lisbon", "text", "## Food", "# Other"])
    assert [outline.path_at(line) for line in (1, 3, 5, 6, 7)] == [
        "Trip",
        "Trip > Hotels",
        "Trip > Hotels > Lisbon",
        "Trip > Food",
        "Other",
    ]


def test_before_the_first_heading_there_is_no_path() -> None:
    assert read_outline(["intro", "# A"], first_line=5).path_at(5) == ""
    assert read_outline(["intro", "# A"], first_line=5).lines == (6,)


def test_code_is_not_a_heading() -> None:
    outline = read_outline(
        ["```sh", "# comment", "~~~", "```", "# Real", "~~~~", "# x", "~~~", "# y", "~~~~", "## End"]
    )
    assert outline.lines == (5, 11)


@pytest.mark.parametrize(
    ("lines", "headings"),
    [
        (["- ```sh", "  # comment", "  ```", "# Real"], (4,)),
        (["1. ~~~", "   # x", "   ~~~", "2. b", "## Real"], (5,)),
        (["- ```", "  # x", "# Real, for the item has ended"], (3,)),
        (["-   ```", "    # x", "    ```", "# Real"], (4,)),
        (["<!--", "```", "-->", "# Real"], (4,)),
        (["<!-- ```", "-->", "# Real"], (3,)),
        (["<!-- never closed", "# Real"], (2,)),
    ],
)
def test_code_in_lists_and_comments_ends_where_it_ends(lines: list[str], headings: tuple[int, ...]) -> None:
    assert read_outline(lines).lines == headings


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("## A b ##", (2, "A b")),
        ("#\tTab", (1, "Tab")),
        ("#", (1, "")),
        ("## ##", (2, "")),
        ("# C#", (1, "C#")),
        ("   ### three", (3, "three")),
        ("    # four blanks", None),
        ("#hashtag", None),
        ("#" * 300 + " too many hashes", None),
        ("text # no", None),
    ],
)
def test_heading_lines(line: str, heading: tuple[int, str] | None) -> None:
    assert heading_of(line) == heading


def test_long_headings_are_cut_and_cost_no_time() -> None:
    def lines(size: int) -> list[str]:
        return ["# " + "# " * (size // 2), "# " + "word " * (size // 5), "`" * size + "x`"]

    assert all(len(path) <= 120 for path in read_outline(lines(1_000_000)).paths)
    assert growth(read_outline, lines, 1_000_000) < IN_PROPORTION
