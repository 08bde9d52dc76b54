"""Citations: their form, and the chats in which they are shown."""

from __future__ import annotations

import pytest

from search.citations import citation, citations_shown, with_source
from search.errors import BadQuery


def test_one_line_and_several() -> None:
    assert citation("memory/a.md", 12, 12) == "memory/a.md#L12"
    assert citation("memory/a.md", 12, 18) == "memory/a.md#L12-L18"


@pytest.mark.parametrize(
    ("mode", "chat_type", "shown"),
    [
        ("auto", "direct", True),
        ("auto", "explicit", True),
        ("auto", "group", False),
        ("auto", "channel", False),
        ("on", "group", True),
        ("off", "direct", False),
    ],
)
def test_auto_hides_citations_in_shared_chats(mode: str, chat_type: str, shown: bool) -> None:
    assert citations_shown(mode, chat_type) is shown


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(BadQuery):
        citations_shown("always", "direct")


def test_the_source_is_a_line_of_its_own() -> None:
    assert with_source("tea at four", "a.md#L1") == "tea at four\n\nSource: a.md#L1"
