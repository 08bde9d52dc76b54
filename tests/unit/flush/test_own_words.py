"""own_words(): what is quoted, fenced or between tags goes; what the speaker adds stays."""

from __future__ import annotations

import pytest

from search.flush.own_words import own_words


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("> We meet at nine.\nI cannot come.", "I cannot come."),
        ("See <b>this long bold text</b> please", "See   please"),
        ("<a>one</a> kept <b>two</b>", "kept"),
        ("<b>never closed, so it is the speaker's own", "<b>never closed, so it is the speaker's own"),
        ("He said “the door is open, come in tonight” and left", "He said   and left"),
        ("The title “Dune” stays", "The title “Dune” stays"),
        ("Read this: “it goes on and on and is never closed", "Read this:"),
    ],
)
def test_only_the_speakers_own_words_stay(text: str, own: str) -> None:
    assert own_words(text).text == own


def test_what_was_taken_out_is_counted() -> None:
    assert own_words("<a>one</a> kept").quoted >= len("<a>one</a>")
